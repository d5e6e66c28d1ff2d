import { expect, test } from "vitest";
import { isCheckpointError } from "./errors.ts";
import { requireSessionId } from "./session-id.ts";

test.each([
  "a",
  " ",
  "\n",
  "..",
  "a/b",
  "\u0001",
  "\u{1f600}",
  "i".repeat(512),
  "\u00e9".repeat(256),
  "\u20ac".repeat(170),
  "\u{1f600}".repeat(128),
])("requireSessionId() accepts %j", (id) => {
  requireSessionId(id);
});

test.each([
  ["", "an empty string"],
  ["a\0", "a string with U+0000"],
  ["\ud800", "a string with an unpaired surrogate"],
  ["\udc00\ud800", "a string with an unpaired surrogate"],
  ["i".repeat(513), "513 bytes"],
  ["\u20ac".repeat(171), "513 bytes"],
  ["\u{1f600}".repeat(129), "516 bytes"],
  [undefined, "undefined"],
  [null, "null"],
  [1, "number"],
  [["a"], "an array"],
  [Object("a"), "an object"],
])("requireSessionId() refuses %j", (id, met) => {
  try {
    requireSessionId(id);
  } catch (error) {
    expect(isCheckpointError(error, "INVALID_SESSION_ID")).toBe(true);
    expect((error as Error).message).toContain(`met ${met}`);
    return;
  }
  expect.unreachable();
});
