// What the server refuses for now: each is waited for, or told as BUSY with nothing changed.

import { afterEach, describe, expect, test } from "vitest";
import { append, keep, readAll } from "../../test/store-changes.ts";
import {
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

const busy = { code: "BUSY", retryable: true };

/** The server of the tests, with settings that a role or a database may have. */
function urlWith(settings: string): string {
  const url = new URL(serverUrl);
  url.searchParams.set("options", settings);
  return url.href;
}

const payloads = async (store: ReturnType<typeof openStore>): Promise<unknown[]> =>
  (await readAll(store, "s")).map(({ payload }) => payload);

async function waitingFor(schema: string, event: string): Promise<void> {
  const text = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = $2 AND query LIKE '%' || $1 || '%'`;
  await expect.poll(() => sql(text, [schema, event]), { timeout: 20_000 }).toHaveLength(1);
}

describe.skipIf(hasNoServer)("what the server refuses for now", () => {
  test.each([
    // A connection of its own would have to be made in that time, too.
    ["a lock that is not given in time", () => ({ pool: openPool(1), busyTimeoutMs: 50 })],
    [
      "a statement that takes too long",
      () => ({ connectionString: urlWith("-c statement_timeout=50") }),
    ],
  ])("%s is BUSY, and changed nothing", async (_name, options) => {
    const schema = temporarySchema();
    await openStore({ schema }).commit("s", append(["1"]));
    const { pool, ...rest } = { pool: undefined, ...options() };
    await pool?.query("SELECT 1");
    const store = openStore({ schema, pool, ...rest });
    const holder = await openClient();
    await holder.query(`BEGIN; SELECT 1 FROM ${schema}.sessions FOR UPDATE`);
    for (const change of [append(["2"]), append(["2"], { base: { seq: 1 } }), keep(0)]) {
      await expect(store.commit("s", change)).rejects.toMatchObject(busy);
    }
    await expect(store.delete("s")).rejects.toMatchObject(busy);
    await holder.query("ROLLBACK");
    expect(await store.commit("s", append(["3"]))).toMatchObject({ head: { seq: 2 } });
    expect(await payloads(store)).toEqual(["1", "3"]);
  });

  test("a deadlock that it ends is run again", async () => {
    const schema = temporarySchema();
    const connectionString = urlWith("-c deadlock_timeout=1s");
    const store = openStore({ schema, connectionString, busyTimeoutMs: 30_000 });
    await store.commit("s", append(["1", "2", "3"]));
    const holder = await openClient();
    await holder.query(`SET deadlock_timeout = '30s'; BEGIN; LOCK TABLE ${schema}.records`);
    // Holds the session, and waits for its records.
    const cutting = store.commit("s", keep(2));
    await waitingFor(schema, "Lock");
    // The other way round. Whoever looks first is ended by the server, and that is ours.
    await holder.query(`SELECT 1 FROM ${schema}.sessions FOR UPDATE`);
    await holder.query("COMMIT");
    expect(await cutting).toMatchObject({ head: { seq: 2 } });
    expect(await payloads(store)).toEqual(["1", "2"]);
  });

  test("a race that one loses by serialization is run again", async () => {
    const schema = temporarySchema();
    const connectionString = urlWith("-c default_transaction_isolation=repeatable\\ read");
    const store = openStore({ schema, connectionString });
    await store.commit("s", append(["1"]));
    const holder = await openClient();
    await holder.query(`BEGIN; UPDATE ${schema}.sessions SET mtime = mtime + 1`);
    const committing = store.commit("s", append(["2"]));
    await waitingFor(schema, "Lock");
    await holder.query("COMMIT");
    expect(await committing).toMatchObject({ head: { seq: 2 } });
    expect(await payloads(store)).toEqual(["1", "2"]);
  });

  test("a connection that it has no room for is waited for, and BUSY in the end", async () => {
    const schema = temporarySchema();
    await openStore({ schema }).commit("s", append(["1"]));
    const { role, connectionString } = await createRole();
    await sql(`GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role};
      GRANT SELECT ON ${schema}.cuts TO ${role};
      ALTER ROLE ${role} CONNECTION LIMIT 0`);
    const store = openStore({ schema, connectionString, busyTimeoutMs: 1_000 });
    await expect(store.head("s")).rejects.toMatchObject(busy);
    await sql(`ALTER ROLE ${role} CONNECTION LIMIT 1`);
    expect(await store.head("s")).toMatchObject({ seq: 1 });
  });
});
