// Connections that break at the worst moments, through a relay that cuts them there.

import { afterEach, describe, expect, test } from "vitest";
import { startProxy, type Cut } from "./testing/cutting-proxy.ts";
import { append, appendKeyed, keep, readAll } from "../../test/store-changes.ts";
import { cleanUp, hasNoServer, openClient, openStore, temporarySchema } from "./testing/server.ts";

afterEach(cleanUp);

const cuts: readonly Cut[] = ["before the server has it", "before the answer arrives"];
const payloads = async (store: ReturnType<typeof openStore>): Promise<unknown[]> =>
  (await readAll(store, "s")).map(({ payload }) => payload);

describe.skipIf(hasNoServer)("a connection that breaks", () => {
  test.each(cuts)("%s stores an append once, whoever made the session", async (where) => {
    const proxy = await startProxy();
    const schema = temporarySchema();
    const store = openStore({ connectionString: proxy.url, schema });
    await store.commit("other", append(["{}"]));
    for (const n of [1, 2, 3]) {
      const text = `{"n":${n}}`;
      proxy.cut(where, text);
      const outcome = await store.commit("s", append([text]));
      expect(outcome).toMatchObject({ head: { seq: n, tail: { payload: text } } });
    }
    expect(proxy.cuts).toBe(3);
    expect(await payloads(store)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  });

  test.each(cuts)("%s stores an append that insists on a head once", async (where) => {
    const proxy = await startProxy();
    const store = openStore({ connectionString: proxy.url });
    await store.commit("s", append(['{"n":1}']));
    proxy.cut(where, '{"n":2}');
    const change = append(['{"n":2}'], { base: { seq: 1 } });
    expect(await store.commit("s", change)).toMatchObject({ head: { seq: 2 } });
    expect(await store.commit("s", change)).toMatchObject({ conflict: { seq: 2 } });
  });

  test.each(cuts)("%s stores a keyed append once, and its key with it", async (where) => {
    const proxy = await startProxy();
    const store = openStore({ connectionString: proxy.url });
    proxy.cut(where, '{"n":1}');
    const change = appendKeyed("k", ['{"n":1}', '{"n":2}']);
    expect(await store.commit("s", change)).toMatchObject({ head: { seq: 2 } });
    expect(await store.commit("s", change)).toEqual({ duplicate: { key: "k", from: 1, to: 2 } });
  });

  test.each(cuts)("%s at its COMMIT truncates once", async (where) => {
    const proxy = await startProxy();
    const store = openStore({ connectionString: proxy.url });
    await store.commit("s", append(["1", "2", "3"]));
    const before = await store.head("s");
    proxy.cut(where, "COMMIT");
    expect(await store.commit("s", keep(1))).toMatchObject({ head: { seq: 1 } });
    expect(await payloads(store)).toEqual(["1"]);
    expect((await store.head("s"))?.generation).not.toBe(before?.generation);
  });

  test.each(cuts)("%s at its COMMIT deletes once", async (where) => {
    const proxy = await startProxy();
    const store = openStore({ connectionString: proxy.url });
    await store.commit("s", append(["1"]));
    proxy.cut(where, "COMMIT");
    await store.delete("s");
    expect(await store.head("s")).toBeNull();
  });

  test("an append that arrives after it was sent again does nothing", async () => {
    const proxy = await startProxy();
    const store = openStore({ connectionString: proxy.url });
    await store.commit("s", append(['{"n":1}']));
    proxy.hold('{"n":2}');
    expect(await store.commit("s", append(['{"n":2}']))).toMatchObject({ head: { seq: 2 } });
    await proxy.release();
    expect(await payloads(store)).toEqual(['{"n":1}', '{"n":2}']);
  });

  test("an append to a new session that arrives late does nothing", async () => {
    const proxy = await startProxy();
    const store = openStore({ connectionString: proxy.url });
    await store.commit("other", append(["{}"]));
    proxy.hold('{"n":1}');
    const change = append(['{"n":1}'], { base: { seq: 0 } });
    expect(await store.commit("s", change)).toMatchObject({ head: { seq: 1 } });
    await proxy.release();
    expect(await payloads(store)).toEqual(['{"n":1}']);
  });

  test("an append that arrives after its session was deleted does not bring it back", async () => {
    const proxy = await startProxy();
    const schema = temporarySchema();
    const store = openStore({ connectionString: proxy.url, schema });
    await store.commit("s", append(['{"n":1}']));
    proxy.hold('{"n":2}');
    await store.commit("s", append(['{"n":2}']));
    await store.delete("s");
    await store.commit("s", append(['{"n":9}']));
    await proxy.release();
    expect(await payloads(store)).toEqual(['{"n":9}']);
    expect(await store.list({ limit: 9, prefix: "" })).toHaveLength(1);
  });

  test("an append that waits for a lock when its connection breaks is stored once", async () => {
    const proxy = await startProxy();
    const schema = temporarySchema();
    const store = openStore({ connectionString: proxy.url, schema });
    await store.commit("s", append(['{"n":1}']));
    const holder = await openClient();
    await holder.query(`BEGIN; SELECT 1 FROM "${schema}".sessions FOR UPDATE`);
    const committing = store.commit("s", append(['{"n":2}']));
    await waitForLock(schema);
    proxy.refuse(true);
    proxy.refuse(false);
    await holder.query("COMMIT");
    expect(await committing).toMatchObject({ head: { seq: 2 } });
    expect(await payloads(store)).toEqual(['{"n":1}', '{"n":2}']);
  });

  test("an append that was made, and cut off by somebody else, is not made again", async () => {
    const proxy = await startProxy();
    const schema = temporarySchema();
    const store = openStore({ connectionString: proxy.url, schema });
    const other = openStore({ schema });
    await store.commit("s", append(['{"n":1}']));
    proxy.cut("before the answer arrives", '{"n":2}', { thenRefuses: true });
    const committing = store.commit("s", append(['{"n":2}']));
    const failed = expect(committing).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
    await untilHead(other, 2);
    await other.commit("s", keep(1));
    proxy.refuse(false);
    await failed;
    expect(await payloads(other)).toEqual(['{"n":1}']);
  });

  test("the outcome is unknown while the database stays away, and only then", async () => {
    const proxy = await startProxy();
    const store = openStore({ connectionString: proxy.url, outageTimeoutMs: 300 });
    await store.commit("s", append(['{"n":1}']));
    proxy.cut("before the answer arrives", '{"n":2}', { thenRefuses: true });
    const committing = store.commit("s", append(['{"n":2}']));
    await expect(committing).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
    await expect(store.commit("s", append(['{"n":3}']))).rejects.toMatchObject({
      code: "IO_FAILED",
    });
    proxy.refuse(false);
    expect(await store.commit("s", append(['{"n":4}']))).toMatchObject({ head: { seq: 3 } });
    expect(await payloads(store)).toEqual(['{"n":1}', '{"n":2}', '{"n":4}']);
  });

  test("a read goes on over a new connection", async () => {
    const proxy = await startProxy();
    const store = openStore({ connectionString: proxy.url });
    await store.commit("s", append(Array.from({ length: 600 }, (_, n) => `{"n":${n}}`)));
    const seen: number[] = [];
    const whole = { sinceSeq: 0, untilSeq: 600, limit: Infinity, reverse: false };
    for await (const page of store.read("s", whole)) {
      seen.push(...page.map(({ seq }) => seq));
      proxy.refuse(true);
      proxy.refuse(false);
    }
    expect(seen).toEqual(Array.from({ length: 600 }, (_, n) => n + 1));
  });
});

async function untilHead(store: ReturnType<typeof openStore>, seq: number): Promise<void> {
  await expect.poll(async () => (await store.head("s"))?.seq).toBe(seq);
}

async function waitForLock(schema: string): Promise<void> {
  const client = await openClient();
  const text = `SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`;
  await expect
    .poll(async () => (await client.query<{ waiting: number }>(text, [schema])).rows[0]?.waiting)
    .toBe(1);
}
