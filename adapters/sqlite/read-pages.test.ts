import { afterEach, expect, test } from "vitest";
import type { StoredRecord } from "../../src/index.ts";
import type { SqliteStore } from "./sqlite-store.ts";
import { append, keep, range, readAll } from "../../test/store-changes.ts";
import { cleanUp, openDatabase, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

const many = Array.from({ length: 1_000 }, (_, index) => `{"n":${index + 1}}`);

/** Everything that comes before an error, and its code. */
async function readUntilError(
  store: SqliteStore,
  reverse = false,
): Promise<{ seqs: number[]; error: unknown }> {
  const seqs: number[] = [];
  try {
    for await (const page of store.read("a", range({ reverse }))) {
      seqs.push(...page.map(({ seq }) => seq));
    }
  } catch (error) {
    return { seqs, error };
  }
  return { seqs, error: undefined };
}

function seqsOf(records: readonly StoredRecord[]): number[] {
  return records.map(({ seq }) => seq);
}

test("read() delivers everything in pages, forwards and backwards", async () => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(many));
  const forwards = await readAll(store, "a");
  expect(forwards.map(({ payload }) => payload)).toEqual(many);
  expect(await readAll(store, "a", { reverse: true })).toEqual(forwards.toReversed());
});

test("read() honours bounds and limits in both directions", async () => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(many));
  const part = { sinceSeq: 300, untilSeq: 900, limit: 3 };
  expect(seqsOf(await readAll(store, "a", part))).toEqual([301, 302, 303]);
  expect(seqsOf(await readAll(store, "a", { ...part, reverse: true }))).toEqual([900, 899, 898]);
  expect(await readAll(store, "a", { sinceSeq: 1_000 })).toEqual([]);
  expect(await readAll(store, "a", { sinceSeq: 5, untilSeq: 3 })).toEqual([]);
  expect(await readAll(store, "a", { limit: 0 })).toEqual([]);
});

test("read() cuts pages by size, so that large records do not pile up", async () => {
  const store = openStore({ file: ":memory:" });
  const large = "x".repeat(700_000);
  await store.commit("a", append([large, large, large, large, large]));
  const sizes: number[] = [];
  for await (const page of store.read("a", range())) sizes.push(page.length);
  expect(sizes).toEqual([2, 2, 1]);
});

test("read() ends with the head of its first pull while others append", async () => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(many));
  let seen = 0;
  for await (const page of store.read("a", range())) {
    seen += page.length;
    await store.commit("a", append(["{}"]));
  }
  expect(seen).toBe(1_000);
});

test("read() leaves no statement open between pages", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(many));
  const rival = openDatabase(file);
  for await (const _page of store.read("a", range())) {
    expect(rival.pragma("wal_checkpoint(TRUNCATE)", { simple: true })).toBe(0);
    await store.commit("b", append(["{}"]));
    expect(await store.head("a")).not.toBeNull();
  }
});

test.each([
  ["truncated", (store: SqliteStore) => store.commit("a", keep(900))],
  ["deleted", (store: SqliteStore) => store.delete("a")],
])("read() throws LOG_CHANGED when the log is %s between pages", async (_name, change) => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(many));
  const pages = store.read("a", range())[Symbol.asyncIterator]();
  await pages.next();
  await change(store);
  await expect(pages.next()).rejects.toMatchObject({ code: "LOG_CHANGED" });
});

test("read() throws LOG_CHANGED when the session was made anew between pages", async () => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(many));
  const pages = store.read("a", range())[Symbol.asyncIterator]();
  await pages.next();
  await store.delete("a");
  await store.commit("a", append(many));
  await expect(pages.next()).rejects.toMatchObject({ code: "LOG_CHANGED" });
});

test("read() throws LOG_CHANGED at once when another generation was asked for", async () => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(["{}"]));
  const changed = { code: "LOG_CHANGED" };
  await expect(readAll(store, "a", { generation: "x" })).rejects.toMatchObject(changed);
  await expect(readAll(store, "b", { generation: "x" })).rejects.toMatchObject(changed);
  const generation = (await store.head("a"))?.generation;
  expect(await readAll(store, "a", { generation })).toHaveLength(1);
});

test("read() reports a missing record after everything before it", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(many.slice(0, 600)));
  openDatabase(file).exec("DELETE FROM records WHERE seq = 400");
  const forwards = await readUntilError(store);
  expect(forwards.seqs).toEqual(seqsOf(await readAll(store, "a", { untilSeq: 399 })));
  expect(forwards.error).toMatchObject({ code: "CORRUPT_LOG", sessionId: "a", seq: 400 });
  const backwards = await readUntilError(store, true);
  expect(backwards.seqs.at(-1)).toBe(401);
  expect(backwards.error).toMatchObject({ code: "CORRUPT_LOG", seq: 400 });
});

test("read() reports a missing first record", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["1", "2", "3"]));
  openDatabase(file).exec("DELETE FROM records WHERE seq = 1");
  const { seqs, error } = await readUntilError(store);
  expect(seqs).toEqual([]);
  expect(error).toMatchObject({ code: "CORRUPT_LOG", seq: 1 });
  expect((await readUntilError(store, true)).seqs).toEqual([3, 2]);
});

test("read() reports a payload that is neither text nor bytes", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["1", "2", "3"]));
  openDatabase(file).exec("UPDATE records SET payload = 7 WHERE seq = 2");
  const { seqs, error } = await readUntilError(store);
  expect(seqs).toEqual([1]);
  expect(error).toMatchObject({ code: "CORRUPT_LOG", seq: 2 });
});

test("read() ends with CLOSED when the store is closed between pages", async () => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(many));
  const pages = store.read("a", range())[Symbol.asyncIterator]();
  await pages.next();
  await store.close();
  await expect(pages.next()).rejects.toMatchObject({ code: "CLOSED" });
});

test("verify() finds holes and wrong types, and nothing in a healthy log", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["1", "2", "3", "4", "5"]));
  await store.commit("b", append(["1"]));
  openDatabase(file).exec(`DELETE FROM records WHERE seq IN (1, 3) AND session = 1;
    UPDATE records SET payload = 7 WHERE seq = 5`);
  const findings = await store.verify?.("a");
  expect(findings?.map(({ code, seq }) => [code, seq])).toEqual([
    ["CORRUPT_LOG", 1],
    ["CORRUPT_LOG", 3],
    ["CORRUPT_LOG", 5],
  ]);
  expect(await store.verify?.("b")).toEqual([]);
  expect(await store.verify?.("absent")).toEqual([]);
});
