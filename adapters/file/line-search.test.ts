import fc from "fast-check";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hookPort } from "../../test/processes/faulty-port.ts";
import { findLineBefore } from "./line-search.ts";
import { endOfSeq } from "./log-reader.ts";
import { encodeRecord } from "./record-line.ts";

let dir: string;
let reads = 0;
const port = hookPort({
  before({ name }) {
    if (name === "readSync") reads += 1;
  },
});

beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), "checkpointer-kit-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A file of records whose events have these lengths; answers where each line starts, and the end. */
function writeLog(path: string, lengths: readonly number[]): number[] {
  const ts = "2026-01-31T12:00:00.000Z";
  const lines = lengths.map((length, index) =>
    encodeRecord({
      seq: index + 1,
      ts,
      left: 0,
      payload: JSON.stringify({ x: "y".repeat(length) }),
    }),
  );
  writeFileSync(path, Buffer.concat(lines));
  const offsets = [0];
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length);
  return offsets;
}

test("findLineBefore() starts at a line, at most 32 KiB or one line before the one wanted", () => {
  const path = join(dir, "log");
  const length = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 300 }) },
    { weight: 1, arbitrary: fc.integer({ min: 3_900, max: 4_300 }) },
    { weight: 1, arbitrary: fc.integer({ min: 30_000, max: 90_000 }) },
  );
  const lengths = fc.array(length, { minLength: 1, maxLength: 400, size: "max" });
  fc.assert(
    fc.property(lengths, fc.nat(), (given, place) => {
      const offsets = writeLog(path, given);
      const end = offsets.at(-1) ?? 0;
      const seq = 1 + (place % given.length);
      const fd = openSync(path, "r");
      try {
        const found = findLineBefore(port, fd, 0, end, seq);
        const index = offsets.indexOf(found);
        expect(index).toBeGreaterThanOrEqual(0);
        expect(index).toBeLessThan(seq);
        const longest = Math.max(...given) + 200;
        expect((offsets[seq - 1] ?? 0) - found).toBeLessThanOrEqual(32 * 1_024 + longest);
        const view = { fd, sessionId: "s", start: 0, end };
        expect(endOfSeq(port, view, seq)).toBe(offsets[seq]);
        expect(endOfSeq(port, view, given.length + 5)).toBe(end);
      } finally {
        closeSync(fd);
      }
    }),
    { seed: 21, numRuns: 60 },
  );
});

test("findLineBefore() takes a number of reads that grows with the logarithm of the size", () => {
  const path = join(dir, "large");
  const offsets = writeLog(path, Array<number>(100_000).fill(20));
  const end = offsets.at(-1) ?? 0;
  const fd = openSync(path, "r");
  let most = 0;
  try {
    for (let seq = 1; seq <= 100_000; seq += 997) {
      reads = 0;
      expect(offsets).toContain(findLineBefore(port, fd, 0, end, seq));
      most = Math.max(most, reads);
    }
  } finally {
    closeSync(fd);
  }
  // 11 MB in halves down to 32 KiB are 9 probes, and a probe is one read or two.
  expect(most).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(end / (32 * 1_024))));
});

test("findLineBefore() is only earlier where bytes do not look like records", () => {
  const path = join(dir, "zeros");
  const offsets = writeLog(path, Array<number>(3_000).fill(100));
  const end = offsets.at(-1) ?? 0;
  const fd = openSync(path, "r+");
  try {
    port.writeSync(fd, Buffer.alloc(100_000), 0, 100_000, Math.floor(end / 3));
    for (const seq of [1, 500, 1_200, 1_500, 2_500, 3_000]) {
      expect(findLineBefore(port, fd, 0, end, seq)).toBeLessThanOrEqual(offsets[seq - 1] ?? 0);
    }
  } finally {
    closeSync(fd);
  }
});
