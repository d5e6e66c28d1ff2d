import { afterEach, describe, expect, test } from "vitest";
import { describeKeyStore, listed, someKey } from "../../test/codecs/key-store-rules.ts";
import { startProxy, type Cut } from "./testing/cutting-proxy.ts";
import {
  cleanUp,
  hasNoServer,
  openClient,
  openKeyStore,
  sql,
  temporarySchema,
} from "./testing/server.ts";

afterEach(cleanUp);

const cuts: readonly Cut[] = ["before the server has it", "before the answer arrives"];

describe.skipIf(hasNoServer)("postgresKeyStore()", () => {
  describeKeyStore("postgresKeyStore()", () => {
    const schema = temporarySchema();
    return { open: () => openKeyStore({ schema }), dispose: () => undefined };
  });

  test("creates nothing by looking", async () => {
    const schema = temporarySchema();
    const store = openKeyStore({ schema });
    await store.get("s");
    expect(await listed(store)).toEqual([]);
    expect(await sql("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).toEqual([]);
  });

  test.each(cuts)("a change whose connection breaks %s is made once, as it says", async (where) => {
    const proxy = await startProxy();
    const store = openKeyStore({ connectionString: proxy.url });
    const [one, two] = [someKey(), someKey()];
    for (const key of [one, two]) {
      proxy.cut(where, key.id);
      expect(await store.add("s", key)).toBe(true);
      expect(await store.add("s", key)).toBe(false);
    }
    const other = someKey({ id: one.id, wrapperId: "other" });
    proxy.cut(where, "other");
    expect(await store.replace("s", [other])).toBe(true);
    expect(await store.get("s")).toEqual({ shredded: false, keys: [other, two] });
    proxy.cut(where, "shredded");
    await store.shred("s");
    expect(await store.get("s")).toEqual({ shredded: true, keys: [] });
    expect(proxy.cuts).toBe(4);
  });

  test("a key that arrives late does not come back to life with its session", async () => {
    const proxy = await startProxy();
    const store = openKeyStore({ connectionString: proxy.url });
    for (const before of [[], [someKey()]]) {
      for (const key of before) await store.add("s", key);
      const key = someKey();
      proxy.hold(key.id);
      expect(await store.add("s", key)).toBe(true);
      await store.shred("s");
      await store.revive("s");
      await proxy.release();
      expect(await store.get("s")).toEqual({ shredded: false, keys: [] });
    }
  });

  test("what cannot be reached, or stays locked, is KEY_UNAVAILABLE", async () => {
    const proxy = await startProxy();
    const schema = temporarySchema();
    await openKeyStore({ schema }).add("s", someKey());
    // The server has to give up waiting for the lock before the client gives up waiting for the server.
    const times = { outageTimeoutMs: 2_000, busyTimeoutMs: 400 };
    const store = openKeyStore({ schema, connectionString: proxy.url, ...times });
    await store.get("s");
    const unavailable = { code: "KEY_UNAVAILABLE", retryable: true };
    const holder = await openClient();
    await holder.query(`BEGIN; SELECT 1 FROM ${schema}.keys FOR UPDATE`);
    await expect(store.add("s", someKey())).rejects.toMatchObject(unavailable);
    await holder.query("ROLLBACK");
    const key = someKey();
    proxy.cut("before the server has it", key.id, { thenRefuses: true });
    await expect(store.add("s", key)).rejects.toMatchObject(unavailable);
    await expect(store.get("s")).rejects.toMatchObject(unavailable);
    await expect(listed(store)).rejects.toMatchObject(unavailable);
    proxy.refuse(false);
    expect((await store.get("s")).keys).toHaveLength(1);
  });

  test("a damaged row is refused and left as it is, and can be shredded", async () => {
    const schema = temporarySchema();
    const store = openKeyStore({ schema });
    await store.add("s", someKey());
    for (const content of ["my house keys", '{"keys":[{"id":"a"}]}', '{"keys":7}', "7"]) {
      await sql(`UPDATE ${schema}.keys SET content = $1`, [content]);
      const refused = { code: "UNSUPPORTED_FORMAT" };
      await expect(openKeyStore({ schema }).get("s")).rejects.toMatchObject(refused);
      await expect(openKeyStore({ schema }).add("s", someKey())).rejects.toMatchObject(refused);
      expect(await sql(`SELECT content FROM ${schema}.keys`)).toEqual([[content]]);
    }
    await store.shred("s");
    expect(await store.get("s")).toEqual({ shredded: true, keys: [] });
  });

  test("shred leaves the wrapped bytes in no row", async () => {
    const schema = temporarySchema();
    const store = openKeyStore({ schema });
    const key = someKey();
    await store.add("s", key);
    const holding = `SELECT 1 FROM ${schema}.keys WHERE content LIKE '%' || $1 || '%'`;
    const spelled = Buffer.from(key.wrapped).toString("base64");
    expect(await sql(holding, [spelled])).toHaveLength(1);
    await store.shred("s");
    expect(await sql(holding, [spelled])).toEqual([]);
  });
});
