// Damage to what was acknowledged: a flipped bit, lost bytes, lines out of place. It is found and named,
// everything before it can be read, and nobody "repairs" it. There is never a wrong or a shorter answer.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isCheckpointError, type VerifyReport } from "../../src/index.ts";
import {
  readSession,
  sampleLog,
  temporaryStore,
  verifyOne,
  type TemporaryStore,
} from "./testing/sample-log.ts";

const healthy = sampleLog("s", [{ ids: ["a"] }, { ids: ["b", "c"], key: "k" }, { ids: ["d"] }]);
const records = healthy.ids.length;

/** Which line a byte belongs to: 0 is the header, else the seq. */
function lineOf(offset: number): number {
  return healthy.offsets.findLastIndex((start) => start <= offset);
}

function line(number: number): Buffer {
  return healthy.bytes.subarray(healthy.offsets[number], healthy.offsets[number + 1]);
}

/** Checks that damage in line `seq` (0: the header) is seen by everybody, and where it is. */
async function expectFound(
  store: TemporaryStore,
  bytes: Buffer,
  seq: number,
  where: string,
): Promise<void> {
  store.put("s", bytes);
  const checkpointer = store.open();
  const reading = await readSession(checkpointer, "s");
  expect(reading.error, where).toBe("CORRUPT_LOG");
  expect(reading.ids, where).toEqual(healthy.ids.slice(0, reading.ids.length));
  expect(reading.seq, where).toBe(seq === 0 ? null : seq);
  const start = healthy.offsets[seq] ?? 0;
  expect(reading.offset, where).toBeGreaterThanOrEqual(start);
  expect(reading.offset, where).toBeLessThan(start + line(seq).length);
  // A batch is delivered whole or not at all, so damage in its second record hides the first too.
  expect(reading.ids.length, where).toBe(seq <= 1 ? 0 : seq === 3 ? 1 : seq - 1);

  const head = await checkpointer.head("s").catch((error: unknown) => error);
  if (head !== records) expect(head, where).toMatchObject({ code: "CORRUPT_LOG" });
  const [listed] = await checkpointer.list();
  expect(listed, where).toMatchObject(
    head === records ? { id: "s", head: records } : { id: "s", damaged: true },
  );
  const report = await verifyOne(checkpointer, "s");
  expect(report, where).toMatchObject({ sessionId: "s", ok: false });
  expect(report?.findings[0]?.code, where).toBe("CORRUPT_LOG");
  await checkpointer.close();
}

/** Writers may refuse or go on behind the damage; what was there stays as it is, byte for byte. */
async function expectUntouched(store: TemporaryStore, bytes: Buffer, where: string): Promise<void> {
  const path = store.put("s", bytes);
  const checkpointer = store.open({ lockLingerMs: 0 });
  const repaired = await checkpointer.repair("s").catch((error: unknown) => error);
  if (repaired !== null) expect(repaired, where).toMatchObject({ code: "CORRUPT_LOG" });
  const appended = await checkpointer.append("s", [{ id: "e" }]).catch((error: unknown) => error);
  if (appended !== records + 1) expect(appended, where).toMatchObject({ code: "CORRUPT_LOG" });
  expect(readFileSync(path).subarray(0, bytes.length).equals(bytes), where).toBe(true);
  await checkpointer.close();
}

function flipped(offset: number, bit: number): Buffer {
  const bytes = Buffer.from(healthy.bytes);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
  return bytes;
}

describe("a flipped bit", () => {
  test("at every byte is found, by everybody and where it is", async () => {
    await using store = temporaryStore();
    for (let offset = 0; offset < healthy.bytes.length; offset += 1) {
      const bit = offset % 8;
      await expectFound(store, flipped(offset, bit), lineOf(offset), `byte ${offset}, bit ${bit}`);
    }
    console.log(`damage: ${healthy.bytes.length} bytes flipped, 0 undetected, 0 wrong answers`);
  });

  test("of all eight is found at the places that matter most", async () => {
    await using store = temporaryStore();
    const end = healthy.bytes.length;
    const starts = healthy.offsets.slice(0, -1);
    for (const offset of [
      ...starts,
      ...starts.map((start) => start + 8),
      end - 1,
      end - 2,
      end - 3,
    ]) {
      for (let bit = 0; bit < 8; bit += 1) {
        const where = `byte ${offset}, bit ${bit}`;
        await expectFound(store, flipped(offset, bit), lineOf(offset), where);
      }
    }
  });

  test("is nothing that a writer touches", async () => {
    await using store = temporaryStore();
    for (let offset = 0; offset < healthy.bytes.length; offset += 11) {
      await expectUntouched(store, flipped(offset, offset % 8), `byte ${offset}`);
    }
  });
});

describe("a line", () => {
  const lines = Array.from({ length: records + 1 }, (_, number) => line(number));

  test.each([1, 2, 3])("seq %i is missing", async (seq) => {
    await using store = temporaryStore();
    const bytes = Buffer.concat(lines.toSpliced(seq, 1));
    store.put("s", bytes);
    const reading = await readSession(store.open(), "s");
    expect(reading).toMatchObject({ error: "CORRUPT_LOG", seq, offset: healthy.offsets[seq] });
    expect(reading.ids).toEqual(healthy.ids.slice(0, reading.ids.length));
    await expectUntouched(store, bytes, `without seq ${seq}`);
  });

  test.each([1, 2, 3, 4])("seq %i is doubled", async (seq) => {
    await using store = temporaryStore();
    const bytes = Buffer.concat(lines.toSpliced(seq, 0, line(seq)));
    store.put("s", bytes);
    const reading = await readSession(store.open(), "s");
    const offset = healthy.offsets[seq + 1];
    expect(reading).toMatchObject({ error: "CORRUPT_LOG", seq: seq + 1, offset });
    expect(reading.ids).toEqual(healthy.ids.slice(0, reading.ids.length));
    await expectUntouched(store, bytes, `with seq ${seq} twice`);
  });

  test.each([1, 2, 3])("seq %i and the next one are swapped", async (seq) => {
    await using store = temporaryStore();
    const bytes = Buffer.concat(lines.toSpliced(seq, 2, line(seq + 1), line(seq)));
    store.put("s", bytes);
    const reading = await readSession(store.open(), "s");
    expect(reading).toMatchObject({ error: "CORRUPT_LOG", seq, offset: healthy.offsets[seq] });
    await expectUntouched(store, bytes, `with seq ${seq} and ${seq + 1} swapped`);
  });

  test("of another session in its place is refused by its seq or its header", async () => {
    await using store = temporaryStore();
    const other = sampleLog("other", [{ ids: ["x"] }]);
    store.put("s", Buffer.concat([other.bytes.subarray(0, other.offsets[1]), ...lines.slice(1)]));
    const reading = await readSession(store.open(), "s");
    expect(reading).toMatchObject({ ids: [], error: "CORRUPT_LOG", offset: 0 });
  });
});

describe("NUL bytes", () => {
  test.each([1, 2, 3, 4])("in the middle of seq %i are found", async (seq) => {
    await using store = temporaryStore();
    const bytes = Buffer.from(healthy.bytes);
    const start = healthy.offsets[seq] ?? 0;
    bytes.fill(0, start + 10, start + 40);
    await expectFound(store, bytes, seq, `zeros in seq ${seq}`);
    await expectUntouched(store, bytes, `zeros in seq ${seq}`);
  });

  test("in place of a whole block are found", async () => {
    await using store = temporaryStore();
    const bytes = Buffer.from(healthy.bytes);
    bytes.fill(0, healthy.offsets[2], (healthy.offsets[4] ?? 0) - 1);
    store.put("s", bytes);
    const reading = await readSession(store.open(), "s");
    expect(reading).toMatchObject({ ids: ["a"], error: "CORRUPT_LOG", seq: 2 });
    await expectUntouched(store, bytes, "zeros in place of two lines");
  });

  test("in place of the last line but its newline are found", async () => {
    await using store = temporaryStore();
    const bytes = Buffer.from(healthy.bytes);
    bytes.fill(0, healthy.offsets[records], bytes.length - 1);
    store.put("s", bytes);
    const reading = await readSession(store.open(), "s");
    expect(reading).toMatchObject({ ids: ["a", "b", "c"], error: "CORRUPT_LOG" });
    await expectUntouched(store, bytes, "zeros before the last newline");
  });
});

test("read() backwards delivers everything behind the damage first", async () => {
  await using store = temporaryStore();
  store.put("s", flipped((healthy.offsets[2] ?? 0) + 30, 0));
  const reading = await readSession(store.open(), "s", { reverse: true });
  expect(reading).toMatchObject({ ids: ["d", "c"], error: "CORRUPT_LOG", seq: 2 });
  expect(reading.offset).toBe(healthy.offsets[2]);
});

test("a damaged session hides no other one", async () => {
  await using store = temporaryStore();
  store.put("s", flipped(healthy.bytes.length - 5, 0));
  for (const id of ["before", "zafter"]) store.put(id, sampleLog(id, [{ ids: ["x"] }]).bytes);
  const checkpointer = store.open();
  const listed = await checkpointer.list();
  expect(listed.map(({ id, damaged = false }) => `${id} ${damaged}`).toSorted()).toEqual([
    "before false",
    "s true",
    "zafter false",
  ]);
  const reports: VerifyReport[] = [];
  for await (const report of checkpointer.verify()) reports.push(report);
  expect(reports.map(({ sessionId, ok }) => `${sessionId} ${ok}`).toSorted()).toEqual([
    "before true",
    "s false",
    "zafter true",
  ]);
  await expect(checkpointer.head("s")).rejects.toSatisfy((error) =>
    isCheckpointError(error, "CORRUPT_LOG"),
  );
  expect(await checkpointer.append("before", [{ id: "y" }])).toBe(2);
  await checkpointer.delete("s");
  expect((await checkpointer.list()).map(({ id }) => id).toSorted()).toEqual(["before", "zafter"]);
});
