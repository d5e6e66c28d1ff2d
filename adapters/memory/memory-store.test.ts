// What only the store shows; the contract as a whole is checked in test/contract.

import { expect, test } from "vitest";
import type { Change, RecordRange, RecordStore, StoredRecord } from "../../src/index.ts";
import { memoryStore } from "./memory-store.ts";

const ts = "2026-01-01T00:00:00.000Z";
const whole: RecordRange = { sinceSeq: 0, untilSeq: 2 ** 53 - 1, limit: Infinity, reverse: false };

function records(count: number) {
  return Array.from({ length: count }, (_, n) => ({ ts, payload: `{"n":${n + 1}}` }));
}

function commit(store: RecordStore, change: Partial<Change>) {
  return store.commit("a", { base: null, batches: [], mtime: 1, ...change });
}

async function pagesOf(store: RecordStore, range: Partial<RecordRange> = {}) {
  const pages: StoredRecord[][] = [];
  for await (const page of store.read("a", { ...whole, ...range })) pages.push([...page]);
  return pages;
}

test("commit() puts several batches one behind the other and keeps their keys", async () => {
  const store = memoryStore();
  const batches = [{ key: "k", records: records(2) }, { records: records(1) }];
  expect(await commit(store, { batches })).toMatchObject({ head: { seq: 3 } });
  const [page] = await pagesOf(store);
  expect(page?.map(({ seq, key }) => [seq, key])).toEqual([
    [1, "k"],
    [2, "k"],
    [3, undefined],
  ]);
});

test("commit() looks for keys, then at the base, and changes nothing when it refuses", async () => {
  const store = memoryStore();
  await commit(store, { batches: [{ key: "k", records: records(2) }] });
  const repeated = {
    base: { seq: 9 },
    batches: [{ records: records(1) }, { key: "k", records: records(1) }],
  };
  expect(await commit(store, repeated)).toEqual({ duplicate: { key: "k", from: 1, to: 2 } });
  const stale = { base: { seq: 1 }, batches: [{ records: records(1) }], mtime: 9 };
  expect(await commit(store, stale)).toMatchObject({ conflict: { seq: 2 } });
  expect(await store.list({ limit: 9, prefix: "" })).toEqual([{ id: "a", mtime: 1, head: 2 }]);
});

test("commit() cuts and appends in one step, with a new generation", async () => {
  const store = memoryStore();
  const before = await commit(store, { batches: [{ records: records(3) }] });
  const after = await commit(store, { keep: 1, batches: [{ records: records(1) }], mtime: 2 });
  expect(after).toMatchObject({ head: { seq: 2, tail: { payload: '{"n":1}' } } });
  expect("head" in before && "head" in after).toBe(true);
  expect(JSON.stringify(before)).not.toContain(
    "head" in after ? after.head?.generation : undefined,
  );
});

test("commit() of nothing creates nothing", async () => {
  const store = memoryStore();
  expect(await commit(store, {})).toEqual({ head: null });
  expect(await commit(store, { keep: 0 })).toEqual({ head: null });
  expect(await commit(store, { base: { seq: 0 } })).toEqual({ head: null });
  expect(await commit(store, { base: { seq: 1 } })).toEqual({ conflict: null });
  expect(await store.list({ limit: 9, prefix: "" })).toEqual([]);
});

test.each([Uint8Array, Buffer])("commit() keeps bytes of its own (%#)", async (kind) => {
  const store = memoryStore();
  const payload = kind.from([1, 2, 3]);
  await commit(store, { batches: [{ records: [{ ts, payload }] }] });
  payload.fill(0);
  expect((await pagesOf(store))[0]?.[0]?.payload).toEqual(Uint8Array.of(1, 2, 3));
});

test("read() gives pages of bounded size in both directions", async () => {
  const store = memoryStore();
  await commit(store, { batches: [{ records: records(600) }] });
  for (const reverse of [false, true]) {
    const pages = await pagesOf(store, { reverse });
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(256);
    const seqs = pages.flat().map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => (reverse ? b - a : a - b)));
    expect(seqs).toHaveLength(600);
  }
});

test("read() with another generation fails with LOG_CHANGED", async () => {
  const store = memoryStore();
  await commit(store, { batches: [{ records: records(1) }] });
  await expect(pagesOf(store, { generation: "g" })).rejects.toMatchObject({ code: "LOG_CHANGED" });
  const { generation } = (await store.head("a"))!;
  expect((await pagesOf(store, { generation })).flat()).toHaveLength(1);
});

test("rewrite() swaps at the end, checks its base then, and keeps keys", async () => {
  const store = memoryStore();
  await commit(store, { batches: [{ records: records(2) }] });
  async function* slowly(change: () => Promise<unknown>) {
    yield { ts, payload: "{}", key: "k" };
    await change();
    yield { ts, payload: "{}", key: "k" };
  }
  const rival = slowly(() => commit(store, { batches: [{ records: records(1) }] }));
  expect(await store.rewrite?.("a", { seq: 2 }, rival, 5)).toMatchObject({ conflict: { seq: 3 } });
  const quiet = slowly(() => Promise.resolve());
  expect(await store.rewrite?.("a", { seq: 3 }, quiet, 5)).toMatchObject({ head: { seq: 2 } });
  const repeated = { batches: [{ key: "k", records: records(2) }] };
  expect(await commit(store, repeated)).toEqual({ duplicate: { key: "k", from: 1, to: 2 } });
});

test("rewrite() whose records fail leaves the old log", async () => {
  const store = memoryStore();
  await commit(store, { batches: [{ records: records(2) }] });
  const before = await store.head("a");
  // oxlint-disable-next-line require-yield
  async function* failing(): AsyncGenerator<never> {
    throw new Error("cannot encode");
  }
  await expect(store.rewrite?.("a", null, failing(), 5)).rejects.toThrow("cannot encode");
  expect(await store.head("a")).toEqual(before);
});
