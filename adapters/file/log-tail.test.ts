import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeFilePort } from "./file-port.ts";
import { readTail, type LogTail } from "./log-tail.ts";
import { sampleLog, textOf } from "./testing/sample-log.ts";

let dir: string;
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), "checkpointer-kit-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function tailOf(bytes: Uint8Array, sessionId: string = "s"): LogTail {
  const path = join(dir, "log");
  writeFileSync(path, bytes);
  const fd = openSync(path, "r");
  try {
    return readTail(nodeFilePort, fd, bytes.length, sessionId);
  } finally {
    closeSync(fd);
  }
}

const long = "x".repeat(3_000);

describe("readTail()", () => {
  test("of a log with nothing but a header", () => {
    const { bytes } = sampleLog("s", []);
    expect(tailOf(bytes)).toMatchObject({ seq: 0, tail: null, end: bytes.length });
  });

  test.each([1, 2, 3, 10, 100])("of %i batches with lines longer than a window", (count) => {
    const batches = Array.from({ length: count }, (_, index) => ({ ids: [`${index}${long}`] }));
    const { bytes, ids } = sampleLog("s", batches);
    const { seq, tail, end, newlineMissing } = tailOf(bytes);
    expect({ seq, end, newlineMissing }).toEqual({
      seq: count,
      end: bytes.length,
      newlineMissing: false,
    });
    expect(tail).toMatchObject({ seq: count, payload: textOf(ids.at(-1) ?? "") });
  });

  test("of a log whose last whole batch is far behind an unfinished one", () => {
    const unfinished = Array.from({ length: 200 }, (_, index) => `${index}${long}`);
    const { bytes, offsets } = sampleLog("s", [
      { ids: ["a"] },
      { ids: ["b"] },
      { ids: unfinished },
    ]);
    for (const line of [4, 50, 150, 202]) {
      expect(tailOf(bytes.subarray(0, offsets[line]))).toMatchObject({ seq: 2, end: offsets[3] });
    }
  });

  test("of a log with an id as long as ids get", () => {
    const id = "\u0001".repeat(512);
    const { bytes } = sampleLog(id, [{ ids: ["a"] }]);
    expect(tailOf(bytes, id)).toMatchObject({ seq: 1 });
  });

  test("says how the newline is missing", () => {
    const { bytes } = sampleLog("s", [{ ids: ["a"] }, { ids: ["b", "c"] }]);
    const cut = bytes.subarray(0, -1);
    expect(tailOf(cut)).toMatchObject({ seq: 3, newlineMissing: true, end: cut.length });
  });

  test("takes a batch's first record without its newline for unfinished", () => {
    const { bytes, offsets } = sampleLog("s", [{ ids: ["a"] }, { ids: ["b", "c"] }]);
    const cut = bytes.subarray(0, (offsets[3] ?? 0) - 1);
    expect(tailOf(cut)).toMatchObject({ seq: 1, newlineMissing: false, end: offsets[2] });
  });

  test("refuses a last record with one wrong byte in place of its newline", () => {
    const bytes = Buffer.from(sampleLog("s", [{ ids: ["a"] }, { ids: ["b"] }]).bytes);
    for (const wrong of ["x", " ", "}", "\r", "\x0b"]) {
      bytes.write(wrong, bytes.length - 1, "latin1");
      expect(() => tailOf(bytes), JSON.stringify(wrong)).toThrow(
        expect.objectContaining({ code: "CORRUPT_LOG", seq: 2, offset: bytes.length - 1 }),
      );
    }
  });

  test("refuses a last record that does not follow the one before", () => {
    const { bytes, offsets } = sampleLog("s", [{ ids: ["a"] }, { ids: ["b"] }, { ids: ["c"] }]);
    const without = Buffer.concat([bytes.subarray(0, offsets[2]), bytes.subarray(offsets[3])]);
    const detail = { code: "CORRUPT_LOG", seq: 3, offset: offsets[2] };
    expect(() => tailOf(without)).toThrow(expect.objectContaining(detail));
  });
});
