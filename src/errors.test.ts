import { describe, expect, test, vi } from "vitest";
import {
  CheckpointConflictError,
  CheckpointError,
  CodecError,
  CorruptLogError,
  isCheckpointError,
  quote,
} from "./errors.ts";

const place = { stage: "aes-gcm", sessionId: "a", seq: 3 };

describe("CheckpointError", () => {
  test.each(["BUSY", "LOG_CHANGED", "KEY_UNAVAILABLE"] as const)(
    "is retryable with code %s",
    (code) => {
      expect(new CheckpointError(code, "message").retryable).toBe(true);
    },
  );

  test.each(["CONFLICT", "OUTCOME_UNKNOWN", "IO_FAILED", "CORRUPT_LOG", "CLOSED"] as const)(
    "is not retryable with code %s",
    (code) => {
      expect(new CheckpointError(code, "message").retryable).toBe(false);
    },
  );

  test("keeps its cause", () => {
    const cause = new Error("disk full");
    expect(new CheckpointError("IO_FAILED", "message", { cause }).cause).toBe(cause);
  });

  test.each([
    new CheckpointConflictError("a", 1, 2),
    new CorruptLogError("a", 1, 2, "detail"),
    new CodecError("DECODE_FAILED", place, "detail"),
  ])("is the base of $name, which is named for its class", (error) => {
    expect(error).toBeInstanceOf(CheckpointError);
    expect(error.name).toBe(error.constructor.name);
    expect(Object.keys(error)).toContain("code");
  });
});

describe("messages", () => {
  test.each([
    [new CheckpointConflictError("a", 1, 2), 'Cannot change session "a": expected head 1, found 2'],
    [
      new CorruptLogError("a", 5, 99, "the line is damaged"),
      'Session "a" is damaged at seq 5 (byte 99): the line is damaged',
    ],
    [new CorruptLogError("a", null, null, "no header"), 'Session "a" is damaged: no header'],
    [
      new CodecError("DECODE_FAILED", place, "the codec failed"),
      'Codec aes-gcm refused seq 3 of "a": the codec failed',
    ],
  ])("%s", (error, message) => {
    expect(error.message).toBe(message);
  });
});

describe("isCheckpointError()", () => {
  test("knows errors by their code, if one is given", () => {
    const error = new CheckpointError("BUSY", "message");
    expect(isCheckpointError(error)).toBe(true);
    expect(isCheckpointError(error, "BUSY")).toBe(true);
    expect(isCheckpointError(error, "CONFLICT")).toBe(false);
  });

  test("knows errors of another copy of the package", async () => {
    vi.resetModules();
    const copy = await import("./errors.ts");
    const error = new copy.CheckpointConflictError("a", 1, 2);
    expect(error).not.toBeInstanceOf(CheckpointConflictError);
    expect(isCheckpointError(error, "CONFLICT")).toBe(true);
  });

  test.each([
    ["a plain error", new Error("no")],
    ["a system error", Object.assign(new Error("no"), { code: "ENOENT" })],
    ["an error of others that says whether to retry", other("ECONNRESET")],
    ["an object with the same fields", { code: "BUSY", retryable: true }],
    ["nothing", undefined],
    ["null", null],
    ["a string", "BUSY"],
  ])("does not take %s for one", (_what, value) => {
    expect(isCheckpointError(value)).toBe(false);
  });
});

describe("quote()", () => {
  test.each([
    ["plain", '"plain"'],
    ['"\\', '"\\"\\\\"'],
    ["\0\n\u001b[31m", '"\\u0000\\n\\u001b[31m"'],
    ["\u007f\u0085\u009b", '"\\u007f\\u0085\\u009b"'],
    ["\u202ereversed\u2069", '"\\u202ereversed\\u2069"'],
    ["\u200b\u200f\ufeff\u2028", '"\\u200b\\u200f\\ufeff\\u2028"'],
    ["\ud800", '"\\ud800"'],
    ["\u{1f600}\u00e9", '"\u{1f600}\u00e9"'],
  ])("escapes what a terminal or a reader would not show: %j", (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });

  test("cuts long text", () => {
    expect(quote("x".repeat(80))).toBe(`"${"x".repeat(80)}"`);
    expect(quote("x".repeat(81))).toBe(`"${"x".repeat(77)}..."`);
  });
});

/** Libraries that talk to networks give their errors such fields too. */
function other(code: string): Error {
  return Object.assign(new Error("no"), { code, retryable: true });
}
