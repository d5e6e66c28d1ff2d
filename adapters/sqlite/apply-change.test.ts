import { afterEach, describe, expect, test } from "vitest";
import type { LogHead, Outcome } from "../../src/index.ts";
import { append, appendKeyed, keep, readAll } from "../../test/store-changes.ts";
import { cleanUp, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

const memory = { file: ":memory:" };

function headOf(outcome: Outcome): LogHead {
  if (!("head" in outcome) || outcome.head === null) throw new Error("expected a head");
  return outcome.head;
}

describe("commit()", () => {
  test("commit() returns the head with its last record", async () => {
    const store = openStore(memory);
    const head = headOf(await store.commit("a", append(['{"n":1}', '{"n":2}'])));
    expect(head).toMatchObject({ seq: 2, tail: { seq: 2, payload: '{"n":2}' } });
    expect(await store.head("a")).toEqual(head);
  });

  test("commit() keeps text and bytes apart, empty ones included", async () => {
    const store = openStore(memory);
    await store.commit("a", append(["{}", new Uint8Array([0, 255]), new Uint8Array(0)]));
    const [text, bytes, none] = await readAll(store, "a");
    expect(text?.payload).toBe("{}");
    expect(bytes?.payload).toEqual(Buffer.from([0, 255]));
    expect(none?.payload).toEqual(Buffer.alloc(0));
  });

  test("commit() notices that another handle has appended since", async () => {
    const file = temporaryFile();
    const [one, two] = [openStore({ file }), openStore({ file })];
    await one.commit("a", append(["1"]));
    await two.commit("a", append(["2"]));
    await one.commit("a", append(["3"]));
    await two.commit("a", append(["4", "5"]));
    await one.commit("a", append(["6", "7"]));
    const payloads = (await readAll(one, "a")).map(({ payload }) => payload);
    expect(payloads).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
  });

  test("commit() does not append to a session that another handle has made anew", async () => {
    const file = temporaryFile();
    const [one, two] = [openStore({ file }), openStore({ file })];
    const before = headOf(await one.commit("a", append(["1"])));
    await two.delete("a");
    await two.commit("b", append(["other"]));
    expect(await one.commit("a", append(["2"], { base: before }))).toEqual({ conflict: null });
    const after = headOf(await one.commit("a", append(["3"])));
    expect(after.seq).toBe(1);
    expect(after.generation).not.toBe(before.generation);
    expect(await readAll(one, "b")).toHaveLength(1);
  });

  test("commit() continues behind a truncation by another handle", async () => {
    const file = temporaryFile();
    const [one, two] = [openStore({ file }), openStore({ file })];
    await one.commit("a", append(["1", "2", "3"]));
    await two.commit("a", keep(1));
    expect(headOf(await one.commit("a", append(["4"]))).seq).toBe(2);
    expect((await readAll(one, "a")).map(({ payload }) => payload)).toEqual(["1", "4"]);
  });

  test("commit() appends to its own log by one statement without a transaction", async () => {
    const store = openStore(memory);
    await store.commit("a", append(["1"]));
    store.log.length = 0;
    await store.commit("a", append(["2"]));
    expect(store.log).toHaveLength(1);
    expect(store.log[0]).toMatch(/^INSERT OR IGNORE INTO records/);
  });

  test("commit() rewrites no session row when it appends", async () => {
    const store = openStore(memory);
    await store.commit("a", append(["1"]));
    store.log.length = 0;
    await store.commit("a", append(["2", "3"]));
    await store.commit("a", appendKeyed("k", ["4"]));
    expect(store.log.filter((sql) => /(UPDATE|INTO) sessions/.test(sql))).toEqual([]);
  });

  test("commit() checks a base by seq and by generation", async () => {
    const store = openStore(memory);
    const head = headOf(await store.commit("a", append(["1"])));
    for (const base of [{ seq: 0 }, { seq: 2 }, { seq: 1, generation: "x" }]) {
      expect(await store.commit("a", append(["2"], { base }))).toEqual({ conflict: head });
    }
    const { seq, generation } = head;
    expect(headOf(await store.commit("a", append(["2"], { base: { seq, generation } }))).seq).toBe(
      2,
    );
  });

  test("commit() lets a key answer before a stale base does", async () => {
    const store = openStore(memory);
    await store.commit("a", append(["1"]));
    await store.commit("a", appendKeyed("k", ["2", "3"]));
    await store.commit("a", append(["4"]));
    const again = { ...appendKeyed("k", ["x"]), base: { seq: 1 } };
    expect(await store.commit("a", again)).toEqual({ duplicate: { key: "k", from: 2, to: 3 } });
    expect("head" in (await store.commit("b", appendKeyed("k", ["1"])))).toBe(true);
  });

  test("commit() creates nothing for an absent session without records", async () => {
    const store = openStore(memory);
    expect(await store.commit("a", keep(0))).toEqual({ head: null });
    expect(await store.commit("a", keep(3, { base: { seq: 2 } }))).toEqual({ conflict: null });
    expect(await store.list({ limit: 10, prefix: "" })).toEqual([]);
  });
});

describe("commit() with keep", () => {
  test("commit() with keep drops the rest and starts a new generation", async () => {
    const store = openStore(memory);
    const before = headOf(await store.commit("a", append(["1", "2", "3"])));
    const after = headOf(await store.commit("a", keep(2)));
    expect(after).toMatchObject({ seq: 2, tail: { seq: 2, payload: "2" } });
    expect(after.generation).not.toBe(before.generation);
  });

  test("commit() with keep at or above the head changes nothing", async () => {
    const store = openStore(memory);
    const before = headOf(await store.commit("a", append(["1", "2"])));
    expect(await store.commit("a", keep(2))).toEqual({ head: before });
    expect(await store.commit("a", keep(9))).toEqual({ head: before });
  });

  test("commit() with keep 0 leaves an empty session that is listed", async () => {
    const store = openStore(memory);
    await store.commit("a", append(["1"]));
    const change = keep(0);
    expect(await store.commit("a", change)).toMatchObject({ head: { seq: 0, tail: null } });
    const listed = await store.list({ limit: 10, prefix: "" });
    expect(listed).toEqual([{ id: "a", mtime: change.mtime, head: 0 }]);
    expect(headOf(await store.commit("a", append(["2"]))).seq).toBe(1);
  });

  test("commit() with keep drops and appends in one step", async () => {
    const store = openStore(memory);
    await store.commit("a", append(["1", "2", "3"]));
    const outcome = await store.commit("a", append(["x", "y"], { keep: 1 }));
    expect(headOf(outcome).seq).toBe(3);
    expect((await readAll(store, "a")).map(({ payload }) => payload)).toEqual(["1", "x", "y"]);
  });

  test("commit() with keep takes the key from a batch that it cuts in two", async () => {
    const store = openStore(memory);
    await store.commit("a", appendKeyed("whole", ["1", "2"]));
    await store.commit("a", appendKeyed("cut", ["3", "4"]));
    await store.commit("a", keep(3));
    expect((await readAll(store, "a")).map(({ key }) => key)).toEqual([
      "whole",
      "whole",
      undefined,
    ]);
    expect(headOf(await store.commit("a", appendKeyed("cut", ["5"]))).seq).toBe(4);
    expect(await store.commit("a", appendKeyed("whole", ["6"]))).toMatchObject({
      duplicate: { from: 1, to: 2 },
    });
  });

  test("commit() with keep between two batches leaves both keys as they are", async () => {
    const store = openStore(memory);
    await store.commit("a", appendKeyed("one", ["1", "2"]));
    await store.commit("a", appendKeyed("two", ["3"]));
    await store.commit("a", keep(2));
    expect((await readAll(store, "a")).map(({ key }) => key)).toEqual(["one", "one"]);
    expect(headOf(await store.commit("a", appendKeyed("two", ["4"]))).seq).toBe(3);
  });
});
