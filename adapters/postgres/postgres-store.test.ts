import { afterEach, describe, expect, test } from "vitest";
import { append, appendKeyed, readAll } from "../../test/store-changes.ts";
import {
  atEnd,
  cleanUp,
  createRole,
  hasNoServer,
  openClient,
  openPool,
  openStore,
  serverUrl,
  sql,
  temporarySchema,
} from "./testing/server.ts";

afterEach(cleanUp);

const listed = { limit: 10, prefix: "" };

/** A path from the connection string to the same server with something else in it. */
function urlWith(change: (url: URL) => void): string {
  const url = new URL(serverUrl);
  change(url);
  return url.href;
}

describe.skipIf(hasNoServer)("postgresStore()", () => {
  test("creates nothing by looking", async () => {
    const schema = temporarySchema();
    const store = openStore({ schema });
    expect(await store.head("s")).toBeNull();
    expect(await store.list(listed)).toEqual([]);
    expect(await readAll(store, "s")).toEqual([]);
    await store.delete("s");
    expect(await sql("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).toEqual([]);
  });

  test("makes its tables once when eight handles write first at the same moment", async () => {
    const schema = temporarySchema();
    const stores = Array.from({ length: 8 }, () => openStore({ schema }));
    await Promise.all(stores.map((store, n) => store.commit(`s${n}`, append(["1"]))));
    expect(await stores[0]?.list(listed)).toHaveLength(8);
    await Promise.all(stores.map((store) => store.setup()));
  });

  test("takes a schema of any name", async () => {
    const schema = `${temporarySchema()}"' $1;--`;
    atEnd(() => sql(`DROP SCHEMA "${schema.replace('"', '""')}" CASCADE`));
    const store = openStore({ schema });
    await store.commit("s", append(["1", "2"]));
    await store.commit("s", append([], { keep: 1, batches: [] }));
    expect(await store.head("s")).toMatchObject({ seq: 1 });
  });

  test("refuses tables that are not its own, and a newer version, and leaves them as they are", async () => {
    const schema = temporarySchema();
    await sql(`CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".sessions (n integer)`);
    const store = openStore({ schema });
    const refused = { code: "UNSUPPORTED_FORMAT" };
    await expect(store.commit("s", append(["1"]))).rejects.toMatchObject(refused);
    await sql(`DROP TABLE "${schema}".sessions`);
    await store.commit("s", append(["1"]));
    await sql(`UPDATE "${schema}".schema_version SET version = 2`);
    const other = openStore({ schema });
    await expect(other.head("s")).rejects.toMatchObject(refused);
    await expect(other.commit("s", append(["1"]))).rejects.toMatchObject(refused);
  });

  test("works for a role that may use the tables and nothing else", async () => {
    const schema = temporarySchema();
    await openStore({ schema }).setup();
    const { role, connectionString } = await createRole();
    await sql(`GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.sessions, ${schema}.records TO ${role};
      GRANT SELECT ON ${schema}.schema_version TO ${role};
      GRANT USAGE, SELECT ON SEQUENCE ${schema}.cuts TO ${role};`);
    const store = openStore({ schema, connectionString });
    await store.commit("s", appendKeyed("k", ["1", "2"]));
    await store.commit("s", append([], { keep: 1, batches: [] }));
    await store.setup();
    expect(await store.list(listed)).toMatchObject([{ id: "s", head: 1 }]);
    await store.delete("s");
    const elsewhere = openStore({ schema: `${schema}_other`, connectionString });
    await expect(elsewhere.setup()).rejects.toMatchObject({ code: "IO_FAILED" });
  });

  test("reads and writes through a pool of one while two readers are under way", async () => {
    const store = openStore({ maxConnections: 1, busyTimeoutMs: 2_000 });
    await store.commit("s", append(Array.from({ length: 600 }, () => "1")));
    const range = { sinceSeq: 0, untilSeq: 600, limit: Infinity, reverse: false };
    const readers = [store.read("s", range), store.read("s", { ...range, reverse: true })];
    const reading = readers.map((pages) => pages[Symbol.asyncIterator]());
    for (const pages of reading) expect((await pages.next()).value).toHaveLength(256);
    expect(await store.commit("s", append(["2"]))).toMatchObject({ head: { seq: 601 } });
    for (const pages of reading) expect((await pages.next()).value).toHaveLength(256);
    await reading[0]?.return?.();
    expect((await reading[1]?.next())?.value).toHaveLength(88);
  });

  test("says BUSY when no connection of a pool becomes free", async () => {
    const pool = openPool(1);
    // Its connection would have to be made in that time, too.
    await pool.query("SELECT 1");
    const store = openStore({ pool, busyTimeoutMs: 50 });
    await store.commit("s", append(["1"]));
    const client = await pool.connect();
    await expect(store.commit("s", append(["2"]))).rejects.toMatchObject({ code: "BUSY" });
    client.release();
    expect(await store.commit("s", append(["3"]))).toMatchObject({ head: { seq: 2 } });
    await store.close();
    expect((await pool.query("SELECT 1")).rowCount).toBe(1);
  });

  test("says BUSY when all connections of an own pool wait for others", async () => {
    const schema = temporarySchema();
    const store = openStore({ schema, maxConnections: 1, busyTimeoutMs: 100 });
    await Promise.all([1, 2].map((n) => store.commit(`s${n}`, append(["1"]))));
    const holder = await openClient();
    await holder.query(`BEGIN; SELECT 1 FROM ${schema}.sessions FOR UPDATE`);
    const works = [1, 2].map((n) => store.commit(`s${n}`, append(["2"])));
    for (const { status, ...rest } of await Promise.allSettled(works)) {
      expect({ status, ...rest }).toMatchObject({ status: "rejected", reason: { code: "BUSY" } });
    }
  });

  test("stores one record with a key once, and tells everybody else where it is", async () => {
    const schema = temporarySchema();
    const stores = Array.from({ length: 6 }, () => openStore({ schema }));
    for (const store of stores) await store.commit("s", append(["1"]));
    const change = appendKeyed("k", ["2"]);
    const outcomes = await Promise.all(stores.map((store) => store.commit("s", change)));
    outcomes.push(...(await Promise.all(stores.map((store) => store.commit("s", change)))));
    const others = outcomes.filter((outcome) => !("head" in outcome));
    const first = { duplicate: { key: "k", from: 7, to: 7 } };
    expect(others).toEqual(Array.from({ length: 11 }, () => first));
  });

  test("commits what it acknowledges although somebody left a transaction open", async () => {
    const pool = openPool(1);
    const schema = temporarySchema();
    const store = openStore({ pool, schema });
    await store.commit("s", append(["1"]));
    const client = await pool.connect();
    await client.query("BEGIN");
    client.release();
    await store.commit("s", append(["2"]));
    expect(await readAll(openStore({ schema }), "s")).toHaveLength(2);
  });

  test("says BUSY to an append behind a lock, and changes nothing", async () => {
    const schema = temporarySchema();
    const store = openStore({ schema, busyTimeoutMs: 50 });
    await store.commit("s", append(["1"]));
    const holder = await openClient();
    await holder.query(`BEGIN; SELECT 1 FROM ${schema}.sessions FOR UPDATE`);
    for (const work of [
      () => store.commit("s", append(["2"])),
      () => store.commit("s", append([], { keep: 0, batches: [] })),
      () => store.delete("s"),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: "BUSY", retryable: true });
    }
    await holder.query("ROLLBACK");
    expect(await store.head("s")).toMatchObject({ seq: 1 });
  });

  test("appends under the strictest isolation that a role may have by default", async () => {
    const options = "-c default_transaction_isolation=serializable";
    const connectionString = urlWith((url) => url.searchParams.set("options", options));
    const schema = temporarySchema();
    const stores = [1, 2, 3].map(() => openStore({ schema, connectionString }));
    const all = stores.flatMap((store) =>
      Array.from({ length: 10 }, () => store.commit("s", append(["1"]))),
    );
    await Promise.all(all);
    expect(await stores[0]?.head("s")).toMatchObject({ seq: 30 });
  });

  test("keeps an append of many megabytes whole, beyond what one statement takes", async () => {
    const store = openStore();
    const text = JSON.stringify({ text: '"\u0000é"'.repeat(100_000) });
    const change = append(Array.from({ length: 12 }, () => text));
    expect(await store.commit("s", change)).toMatchObject({ head: { seq: 12 } });
    const bytes = new Uint8Array(3_000_000).map((_, index) => index % 251);
    await store.commit("s", append([bytes, text, bytes, bytes, bytes]));
    const records = await readAll(store, "s");
    expect(records.map(({ payload }) => payload.length)).toEqual([
      ...Array.from({ length: 12 }, () => text.length),
      3_000_000,
      text.length,
      3_000_000,
      3_000_000,
      3_000_000,
    ]);
    expect(Buffer.compare(records[16]?.payload as Buffer, bytes)).toBe(0);
  });

  test("wants TLS where the connection string does, and never goes on without", async () => {
    const connectionString = urlWith((url) => url.searchParams.set("sslmode", "verify-full"));
    const store = openStore({ connectionString, outageTimeoutMs: 100 });
    await expect(store.head("s")).rejects.toMatchObject({ code: "IO_FAILED" });
    const off = urlWith((url) => url.searchParams.set("sslmode", "disable"));
    expect(await openStore({ connectionString: off }).head("s")).toBeNull();
  });

  test("tells no password in any error", async () => {
    const secret = "s3cr3t-canary";
    const withSecret = (change: (url: URL) => void): string =>
      urlWith((url) => {
        url.password = secret;
        change(url);
      });
    const urls = [
      withSecret(() => undefined),
      withSecret((url) => (url.port = "1")),
      withSecret((url) => (url.hostname = "nowhere.invalid")),
      withSecret((url) => (url.pathname = "/no such database")),
    ];
    const errors: unknown[] = [];
    for (const connectionString of urls) {
      const store = openStore({ connectionString, outageTimeoutMs: 50 });
      errors.push(await store.head("s").catch((error: unknown) => error));
    }
    for (const connectionString of [`postgres://u:${secret}@[`, `mysql://u:${secret}@h`]) {
      try {
        openStore({ connectionString });
      } catch (error) {
        errors.push(error);
      }
    }
    expect(errors).toHaveLength(6);
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      expect(everything(error)).not.toContain(secret);
    }
    expect(errors.slice(0, 4)).toMatchObject(Array(4).fill({ code: "IO_FAILED" }));
  });

  test("tells no payload in an error of the server", async () => {
    const schema = temporarySchema();
    const store = openStore({ schema });
    await store.commit("s", append(["1"]));
    await sql(`ALTER TABLE ${schema}.records ADD CHECK (payload NOT LIKE '%canary%')`);
    const error: unknown = await store.commit("s", append(['"canary"'])).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "IO_FAILED" });
    expect(everything(error)).not.toContain("canary");
    expect(await store.head("s")).toMatchObject({ seq: 1 });
  });
});

/** An error and everything that hangs on it, hidden or not. */
function everything(error: unknown, depth = 0): string {
  if (typeof error !== "object" || error === null || depth > 4) return String(error);
  const names = Object.getOwnPropertyNames(error);
  return names
    .map((name) => `${name}=${everything((error as Record<string, unknown>)[name], depth + 1)}`)
    .join("\n");
}
