import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { bytesOf } from "../test/codecs/fixtures.ts";
import { agentEventsV1 } from "./agent-dictionary.ts";

test("the dictionary agent-events-v1 never changes", () => {
  const bytes = bytesOf(agentEventsV1);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(
    "48060e1c879d3668bf960e15fb0eb4d50aec595a5d135d731c464bc5e20e99d5",
  );
});

test("the dictionary is ASCII, long enough for the fflate encoder and within deflate's window", () => {
  const bytes = bytesOf(agentEventsV1);
  expect(bytes).toHaveLength(agentEventsV1.length);
  expect(bytes.every((byte) => byte >= 0x20 && byte < 0x7f)).toBe(true);
  expect(bytes.length).toBeGreaterThanOrEqual(1_024);
  expect(bytes.length).toBeLessThanOrEqual(32 * 1_024);
});
