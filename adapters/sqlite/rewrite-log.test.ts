import { afterEach, expect, test } from "vitest";
import type { NewRecord } from "../../src/index.ts";
import { append, appendKeyed, range, readAll } from "../../test/store-changes.ts";
import { cleanUp, openDatabase, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

const everything = { limit: 100, prefix: "" };
const ts = "2026-01-02T03:04:05.678Z";

async function* numbered(
  count: number,
  between?: () => Promise<unknown>,
): AsyncGenerator<NewRecord> {
  for (let index = 1; index <= count; index += 1) {
    if (between !== undefined && index % 100 === 0) await between();
    yield { ts, payload: `{"n":${index}}` };
  }
}

/** Sessions that nobody can see, with their records. */
function hiddenRecords(file: string): unknown {
  return openDatabase(file)
    .prepare(
      "SELECT count(*) FROM records r JOIN sessions s ON s.id = r.session WHERE s.name IS NULL",
    )
    .pluck()
    .get();
}

test.each([1, 256, 257, 2_000])("rewrite() puts %i records in place", async (count) => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", appendKeyed("k", ["old", "old"]));
  const before = await store.head("a");
  const outcome = await store.rewrite?.("a", before, numbered(count), 9_000.5);
  expect(outcome).toMatchObject({ head: { seq: count, tail: { payload: `{"n":${count}}` } } });
  const after = await store.head("a");
  expect(outcome).toEqual({ head: after });
  expect(after?.generation).not.toBe(before?.generation);
  const records = await readAll(store, "a");
  expect(records.map(({ seq }) => seq)).toEqual(
    Array.from({ length: count }, (_, index) => index + 1),
  );
  expect(records.every((record) => record.ts === ts && record.key === undefined)).toBe(true);
  expect(await store.list(everything)).toEqual([{ id: "a", mtime: 9_000.5, head: count }]);
});

test("rewrite() shows the old log until it is done, and nothing of itself", async () => {
  const file = temporaryFile();
  const [store, other] = [openStore({ file }), openStore({ file })];
  await store.commit("a", append(["old"]));
  await store.rewrite?.(
    "a",
    null,
    numbered(1_000, async () => {
      expect((await other.list(everything)).map(({ id }) => id)).toEqual(["a"]);
      expect(await readAll(other, "a")).toHaveLength(1);
    }),
    1,
  );
  expect(await other.head("a")).toMatchObject({ seq: 1_000 });
  expect(hiddenRecords(file)).toBe(0);
});

test("rewrite() of a log that changed meanwhile is a conflict and leaves nothing", async () => {
  const file = temporaryFile();
  const [store, other] = [openStore({ file }), openStore({ file })];
  await store.commit("a", append(["old"]));
  const base = await store.head("a");
  let appended = false;
  const source = numbered(1_000, async () => {
    if (!appended) await other.commit("a", append(["new"]));
    appended = true;
  });
  const outcome = await store.rewrite?.("a", base, source, 1);
  expect(outcome).toEqual({ conflict: await other.head("a") });
  expect((await readAll(store, "a")).map(({ payload }) => payload)).toEqual(["old", "new"]);
  expect(hiddenRecords(file)).toBe(0);
  expect(await store.list(everything)).toHaveLength(1);
});

test("rewrite() refuses a stale base before it reads anything", async () => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(["1"]));
  const source = numbered(5, () => Promise.reject(new Error("was read")));
  const outcome = await store.rewrite?.("a", { seq: 0, generation: "" }, source, 1);
  expect(outcome).toEqual({ conflict: await store.head("a") });
});

test("rewrite() whose source throws keeps the old log and leaves nothing", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["old"]));
  const failure = new Error("source failed");
  async function* failing(): AsyncGenerator<NewRecord> {
    yield* numbered(700);
    throw failure;
  }
  await expect(store.rewrite?.("a", null, failing(), 1)).rejects.toBe(failure);
  expect(await readAll(store, "a")).toHaveLength(1);
  expect(hiddenRecords(file)).toBe(0);
});

test("rewrite() without records empties a log, and creates none", async () => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(["1"]));
  expect(await store.rewrite?.("a", null, numbered(0), 7)).toMatchObject({ head: { seq: 0 } });
  expect(await store.rewrite?.("b", null, numbered(0), 7)).toEqual({ head: null });
  expect(await store.list(everything)).toEqual([{ id: "a", mtime: 7, head: 0 }]);
});

test("a reader of a log that is rewritten gets LOG_CHANGED, never a mix", async () => {
  const store = openStore({ file: ":memory:" });
  await store.rewrite?.("a", null, numbered(600), 1);
  const pages = store.read("a", range())[Symbol.asyncIterator]();
  await pages.next();
  await store.rewrite?.("a", null, numbered(600), 2);
  await expect(pages.next()).rejects.toMatchObject({ code: "LOG_CHANGED" });
});

test("rewrite() whose staged records were purged fails and changes nothing", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["old"]));
  const rival = openDatabase(file);
  const source = numbered(1_000, async () => {
    rival.exec(`DELETE FROM records WHERE session IN (SELECT id FROM sessions WHERE name IS NULL);
      DELETE FROM sessions WHERE name IS NULL`);
  });
  await expect(store.rewrite?.("a", null, source, 1)).rejects.toMatchObject({ code: "IO_FAILED" });
  expect(await readAll(store, "a")).toHaveLength(1);
});
