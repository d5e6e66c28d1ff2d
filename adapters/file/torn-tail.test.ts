// What a crash leaves at the end of a log: never acknowledged, never seen by readers, cut once by the
// next writer. A complete record that lacks only its newline is kept.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Repair } from "../../src/index.ts";
import { readSession, sampleLog, temporaryStore, verifyOne } from "./testing/sample-log.ts";

const batches = [{ ids: ["a"] }, { ids: ["b", "c"], key: "k" }];
const kept = sampleLog("s", batches);

/** Everything that must hold for a log that ends in `tail` behind the batches of `kept`. */
async function expectRecovery(tail: Buffer, where: string): Promise<void> {
  await using store = temporaryStore();
  const path = store.put("s", Buffer.concat([kept.bytes, tail]));
  const before = readFileSync(path);
  const reader = store.open();
  for (const round of [1, 2]) {
    expect(await readSession(reader, "s"), `${where}, reading ${round}`).toMatchObject({
      ids: ["a", "b", "c"],
      error: null,
    });
    expect(await reader.head("s"), where).toBe(3);
  }
  expect((await reader.list())[0], where).toMatchObject({ id: "s", head: 3 });
  const report = await verifyOne(reader, "s");
  expect(report?.ok, where).toBe(true);
  expect(report?.findings, where).toMatchObject([{ code: "TORN_TAIL", offset: kept.bytes.length }]);
  expect(readFileSync(path).equals(before), "readers change nothing").toBe(true);

  const repairs: Repair[] = [];
  const writer = store.open({ onTornTail: (_, repair) => void repairs.push(repair) });
  expect(await writer.append("s", [{ id: "d" }]), where).toBe(4);
  expect(await writer.append("s", [{ id: "e" }]), where).toBe(5);
  expect(repairs, where).toEqual([{ bytes: tail.length, offset: kept.bytes.length }]);
  expect(await readSession(reader, "s"), where).toMatchObject({ ids: ["a", "b", "c", "d", "e"] });
  expect(readFileSync(path).subarray(0, kept.bytes.length).equals(kept.bytes), where).toBe(true);
}

function lastBatch(ids: readonly string[]): Buffer {
  return sampleLog("s", [...batches, { ids }]).bytes.subarray(kept.bytes.length);
}

test("append() after the last record was cut at every byte", async () => {
  const tail = lastBatch(["last"]);
  // Without its newline alone it is complete, which another test looks at.
  for (let length = 1; length < tail.length - 1; length += 1) {
    await expectRecovery(tail.subarray(0, length), `cut to ${length} of ${tail.length} bytes`);
  }
});

test("append() after a batch of three was cut at every byte", async () => {
  const tail = lastBatch(["x", "y", "z"]);
  for (let length = 1; length < tail.length - 1; length += 1) {
    await expectRecovery(tail.subarray(0, length), `cut to ${length} of ${tail.length} bytes`);
  }
});

test.each([1, 2, 17, 4_096, 70_000])("append() after %i NUL bytes at the end", async (length) => {
  await expectRecovery(Buffer.alloc(length), `${length} NUL bytes`);
});

test("append() after a record that was cut and padded with NUL bytes", async () => {
  const tail = lastBatch(["x", "y"]);
  for (const length of [1, 30, tail.length / 2, tail.length - 2]) {
    const cut = tail.subarray(0, length);
    await expectRecovery(Buffer.concat([cut, Buffer.alloc(64)]), `${length} bytes and padding`);
  }
});

test("append() keeps a complete last record that lacks its newline", async () => {
  const whole = sampleLog("s", batches).bytes;
  await using store = temporaryStore();
  const path = store.put("s", whole.subarray(0, -1));
  const repairs: Repair[] = [];
  const checkpointer = store.open({ onTornTail: (_, repair) => void repairs.push(repair) });
  expect(await readSession(checkpointer, "s")).toMatchObject({ ids: ["a", "b", "c"], error: null });
  expect(await readSession(checkpointer, "s", { reverse: true })).toMatchObject({
    ids: ["c", "b", "a"],
    error: null,
  });
  expect(await checkpointer.head("s")).toBe(3);
  expect(await checkpointer.append("s", [{ id: "d" }])).toBe(4);
  expect(repairs).toEqual([]);
  expect(readFileSync(path).subarray(0, whole.length).equals(whole)).toBe(true);
  expect(await readSession(checkpointer, "s")).toMatchObject({ ids: ["a", "b", "c", "d"] });
});

test("append() finds the key of a batch whose last newline is missing", async () => {
  await using store = temporaryStore();
  store.put("s", sampleLog("s", batches).bytes.subarray(0, -1));
  const options = { idempotencyKey: "k" };
  expect(await store.open().append("s", [{ id: "b" }, { id: "c" }], options)).toBe(3);
});

test("append() forgets the key of a batch that was cut", async () => {
  await using store = temporaryStore();
  const torn = sampleLog("s", [{ ids: ["a"] }, { ids: ["b", "c"], key: "k" }]);
  store.put("s", torn.bytes.subarray(0, torn.offsets[3]));
  const options = { idempotencyKey: "k" };
  expect(await store.open().append("s", [{ id: "other" }], options)).toBe(2);
});

test("repair() drops the torn tail, says what, and has nothing to do then", async () => {
  await using store = temporaryStore();
  const tail = lastBatch(["x", "y"]).subarray(0, 100);
  const path = store.put("s", Buffer.concat([kept.bytes, tail]));
  const checkpointer = store.open({ lockLingerMs: 0 });
  expect(await checkpointer.repair("s")).toEqual({ bytes: 100, offset: kept.bytes.length });
  expect(readFileSync(path).equals(kept.bytes)).toBe(true);
  expect(await checkpointer.repair("s")).toBeNull();
  expect(await checkpointer.repair("unknown")).toBeNull();
});

test("a log that is nothing but a torn first batch is empty and can be appended to", async () => {
  await using store = temporaryStore();
  const only = sampleLog("s", [{ ids: ["a", "b"] }]);
  for (const end of [only.offsets[1], only.offsets[2], (only.offsets[2] ?? 0) + 20]) {
    store.put("s", only.bytes.subarray(0, end));
    const checkpointer = store.open();
    expect(await checkpointer.head("s")).toBe(0);
    expect(await checkpointer.append("s", [{ id: "c" }])).toBe(1);
    expect(await readSession(checkpointer, "s")).toMatchObject({ ids: ["c"], error: null });
    await checkpointer.close();
  }
});
