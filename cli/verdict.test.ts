import { describe, expect, it } from "vitest";
import type { VerifyFinding } from "../src/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { exitCodeOfCounts, summarizeCounts, verdictOf, type Verdict } from "./verdict.ts";

const reportOf = (...codes: VerifyFinding["code"][]): { findings: VerifyFinding[] } => {
  return { findings: codes.map((code) => ({ code, seq: 1, offset: null, message: "" })) };
};

describe("verdictOf()", () => {
  it.each([
    [[], "ok"],
    [["TORN_TAIL"], "ok"],
    [["AUTH_FAILED"], "tampered"],
    [["PLAINTEXT_IN_SEALED_LOG"], "tampered"],
    [["ANCHOR_MISMATCH"], "tampered"],
    [["WRONG_KEY"], "key"],
    [["KEY_UNKNOWN"], "key"],
    [["KEY_DISABLED"], "key"],
    [["KEY_SHREDDED"], "key"],
    [["SEALED_IN_PLAIN_LOG"], "sealed"],
    [["UNSUPPORTED_FORMAT"], "format"],
    [["CORRUPT_LOG"], "damaged"],
    [["DECODE_FAILED"], "damaged"],
    [["IO_FAILED"], "damaged"],
    [["KEY_UNAVAILABLE"], "unreadable"],
    [["KEY_UNKNOWN", "CORRUPT_LOG", "AUTH_FAILED"], "tampered"],
  ] satisfies [VerifyFinding["code"][], Verdict][])("calls %j %s", (codes, verdict) => {
    expect(verdictOf(reportOf(...codes))).toBe(verdict);
  });
});

describe("the counts of a run", () => {
  it.each([
    [[["ok", 3]], exitCodes.ok, "0 of 3 sessions not ok: "],
    [
      [
        ["ok", 1],
        ["key", 2],
      ],
      exitCodes.damaged,
      "2 of 3 sessions not opened by this key",
    ],
    [[["unreadable", 1]], exitCodes.busy, "1 of 1 session could not be read now"],
    [
      [
        ["unreadable", 1],
        ["damaged", 1],
        ["tampered", 2],
        ["ok", 1],
      ],
      exitCodes.damaged,
      "4 of 5 sessions not ok: 2 tampered with, 1 damaged, 1 could not be read now",
    ],
  ] satisfies [[Verdict, number][], number, string][])("%j", (counts, exitCode, summary) => {
    expect(exitCodeOfCounts(new Map(counts))).toBe(exitCode);
    expect(summarizeCounts(new Map(counts))).toBe(summary);
  });
});
