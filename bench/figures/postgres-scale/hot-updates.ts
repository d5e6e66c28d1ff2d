import pg from "pg";
import { sessionLayout } from "../../../adapters/postgres/schema.ts";
import { markdownTable } from "./markdown-table.ts";

const sessions = 5_000;
const writers = 16;
const updatesEach = 3_000;
const fillFactors = [100, 90, 70, 50, 30];

interface Conditions {
  readonly fillFactor: number;
  /** Milliseconds for which somebody else keeps a snapshot, again and again; 0: nobody. */
  readonly snapshot: number;
  readonly autovacuum: boolean;
  /** How often everything is done. */
  readonly rounds: number;
}

/**
 * Moves heads as fast as the server can, and prints how many of the new row versions stayed in their
 * page, and what became of the table's size.
 *
 * @see https://www.postgresql.org/docs/current/storage-hot.html
 */
export async function measureHotUpdates(url: string): Promise<void> {
  const rows: string[][] = [];
  for (const fillFactor of fillFactors) {
    for (const snapshot of [0, 1_000]) {
      rows.push(await measure(url, { fillFactor, snapshot, autovacuum: false, rounds: 1 }));
    }
  }
  for (const snapshot of [0, 1_000]) {
    for (const autovacuum of [false, true]) {
      rows.push(await measure(url, { fillFactor: 50, snapshot, autovacuum, rounds: 8 }));
    }
  }
  console.log(`\n${markdownTable(head, rows)}`);
}

const head = [
  "updates",
  "fillfactor",
  "snapshots held",
  "autovacuum",
  "stayed in the page",
  "sessions, before",
  "after",
  "its indexes, before",
  "after",
];

async function measure(url: string, conditions: Conditions): Promise<string[]> {
  const { fillFactor, snapshot, autovacuum, rounds } = conditions;
  const clients: pg.Client[] = [];
  for (let count = 0; count < writers + 2; count += 1) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    clients.push(client);
  }
  const [own, reader, ...updaters] = clients;
  if (own === undefined || reader === undefined) throw new Error("there are no connections");
  await prepare(own, conditions);
  const before = await sizes(own);
  let isWriting = true;
  const holding = hold(reader, snapshot, () => isWriting);
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(updaters.map((client) => client.query(moveHeads)));
  }
  isWriting = false;
  await holding;
  const after = await sizes(own);
  await Promise.all(updaters.map((client) => client.query("SELECT pg_stat_force_next_flush()")));
  const { rows } = await own.query<{ share: number }>(
    `SELECT 100.0 * n_tup_hot_upd / n_tup_upd AS share FROM pg_stat_user_tables
      WHERE schemaname = 'hot' AND relname = 'sessions'`,
  );
  await Promise.all(clients.map((client) => client.end()));
  return [
    (rounds * writers * updatesEach).toLocaleString("en"),
    String(fillFactor),
    snapshot === 0 ? "none" : `${snapshot / 1_000} s`,
    autovacuum ? "on" : "off",
    `${Number(rows[0]?.share).toFixed(1)} %`,
    ...[before.table, after.table, before.indexes, after.indexes].map(
      (bytes) => `${(bytes / 1e6).toFixed(2)} MB`,
    ),
  ];
}

/** Each of its changes is a transaction of its own, as an append is. */
const moveHeads = `DO $$
  DECLARE picked bigint;
  BEGIN
    FOR change IN 1..${updatesEach} LOOP
      picked := 1 + floor(random() * ${sessions});
      UPDATE hot.sessions SET head = head + 1, mtime = change WHERE id = picked;
      COMMIT;
    END LOOP;
  END $$`;

async function prepare(client: pg.Client, { fillFactor, autovacuum }: Conditions): Promise<void> {
  await client.query("SET client_min_messages = error; DROP SCHEMA IF EXISTS hot CASCADE");
  await client.query("CREATE SCHEMA hot");
  for (const step of sessionLayout.migrations) await client.query(step("hot"));
  await client.query(
    `ALTER TABLE hot.sessions SET (fillfactor = ${fillFactor}, autovacuum_enabled = ${autovacuum})`,
  );
  await client.query(
    `INSERT INTO hot.sessions (name, generation, head, mtime, birth)
      SELECT 'session-' || n, replace(gen_random_uuid()::text, '-', ''), 1, 1, 1
      FROM generate_series(1, ${sessions}) n`,
  );
}

async function hold(
  client: pg.Client,
  milliseconds: number,
  isWriting: () => boolean,
): Promise<void> {
  while (milliseconds > 0 && isWriting()) {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM hot.records");
    await client.query("SELECT pg_sleep($1)", [milliseconds / 1_000]);
    await client.query("COMMIT");
  }
}

async function sizes(client: pg.Client): Promise<{ table: number; indexes: number }> {
  const { rows } = await client.query<{ table: string; indexes: string }>(
    `SELECT pg_relation_size('hot.sessions') AS table, pg_indexes_size('hot.sessions') AS indexes`,
  );
  return { table: Number(rows[0]?.table), indexes: Number(rows[0]?.indexes) };
}
