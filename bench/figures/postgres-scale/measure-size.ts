import pg from "pg";
import { median } from "simple-statistics";
import { postgresCheckpointer } from "../../../adapters/postgres/index.ts";
import type { Checkpointer, SessionEvent } from "../../../src/index.ts";
import { seededRandom } from "../../seeded-random.ts";
import { agentEvents } from "../agent-events.ts";
import { markdownTable } from "./markdown-table.ts";

const schema = "checkpointer";
const eventsPerSession = 5;
const chunkSessions = 50_000;
/** Operations in a turn, and turns. */
const perTurn = 25;
const turns = 16;
const events = agentEvents(50);

/** Fills a schema to each size, and prints what the adapter's operations cost there. */
export async function measureSize(url: string, sizes: readonly number[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE EXTENSION IF NOT EXISTS pageinspect");
  const store = postgresCheckpointer({ connectionString: url });
  await store.append("hot", events);
  const rows: string[][] = [];
  let filled = 0;
  for (const size of sizes) {
    while (filled < size) {
      const count = Math.min(chunkSessions, size - filled);
      await fill(client, filled, count);
      filled += count;
    }
    await client.query(`VACUUM ANALYZE ${schema}.sessions, ${schema}.records`);
    rows.push(await measureOperations(client, store, size));
    process.stderr.write(`${rows.at(-1)?.join(" | ")}\n`);
  }
  const begin = performance.now();
  await client.query(`VACUUM (FREEZE) ${schema}.records`);
  const freezing = (performance.now() - begin) / 1_000;
  console.log(markdownTable(head, rows));
  console.log(`\nFreezing all of records: ${freezing.toFixed(1)} s`);
  await store.close();
  await client.end();
}

const head = [
  "sessions",
  "events",
  "append",
  "first append to a session",
  "/ round trip",
  "WAL, append",
  "WAL, first append",
  "read last 50",
  "list(50)",
  "index levels",
  "bytes an event",
  "bytes a session",
];

/**
 * Sessions from `first` on, with their events in the order in which sessions that are alive at the same
 * time would have appended them: a page of records holds those of many sessions.
 */
async function fill(client: pg.Client, first: number, count: number): Promise<void> {
  await client.query(
    `INSERT INTO ${schema}.sessions (name, generation, head, mtime, birth)
      SELECT 'session-' || n, replace(gen_random_uuid()::text, '-', ''), ${eventsPerSession},
        1.7e15::bigint + n, 1
      FROM generate_series($1::bigint, $2) n`,
    [first, first + count - 1],
  );
  const texts = events.map((event) => JSON.stringify(event));
  await client.query(
    `INSERT INTO ${schema}.records (session, seq, ts, change, payload)
      SELECT s.id, seq, 1.7e12::bigint + s.id,
        CASE WHEN seq = ${eventsPerSession} THEN gen_random_uuid() END,
        ($3::text[])[1 + (s.id * 7 + seq) % ${texts.length}]
      FROM generate_series(1, ${eventsPerSession}) seq,
        (SELECT id FROM ${schema}.sessions WHERE name = ANY (
          SELECT 'session-' || n FROM generate_series($1::bigint, $2) n) ORDER BY random()) s`,
    [first, first + count - 1, texts],
  );
}

async function measureOperations(
  client: pg.Client,
  store: Checkpointer,
  sessions: number,
): Promise<string[]> {
  const random = seededRandom(sessions);
  const anySession = (): string => `session-${Math.floor(random() * sessions)}`;
  const work: Readonly<Record<string, () => Promise<unknown>>> = {
    roundTrip: () => client.query({ name: "one", text: "SELECT 1" }),
    one: () => store.append("hot", [eventAt(random())]),
    any: () => store.append(anySession(), [eventAt(random())]),
    last: () => readLast(store, "hot"),
  };
  const times = new Map<string, number[]>(Object.keys(work).map((name) => [name, []]));
  for (let turn = -1; turn < turns; turn += 1) {
    for (const [name, operation] of Object.entries(work)) {
      const begin = performance.now();
      for (let count = 0; count < perTurn; count += 1) await operation();
      if (turn >= 0) times.get(name)?.push(((performance.now() - begin) / perTurn) * 1_000);
    }
  }
  const of = (name: string): number => median(times.get(name) ?? []);
  const lists: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    const begin = performance.now();
    await store.list({ limit: 50 });
    lists.push(performance.now() - begin);
  }
  await client.query("CHECKPOINT");
  const walOne = await walOf(client, 500, () => store.append("hot", [eventAt(random())]));
  await client.query("CHECKPOINT");
  const walAny = await walOf(client, 500, () => store.append(anySession(), [eventAt(random())]));
  const { rows } = await client.query<[number, string, string, string]>({
    text: `SELECT (SELECT level FROM bt_metap('${schema}.records_pkey')) + 1,
      pg_table_size('${schema}.records') + pg_indexes_size('${schema}.records'),
      pg_table_size('${schema}.sessions') + pg_indexes_size('${schema}.sessions'),
      (SELECT count(*) FROM ${schema}.records)`,
    rowMode: "array",
  });
  const [levels = 0, recordBytes = "", sessionBytes = "", count = ""] = rows[0] ?? [];
  const micro = (time: number): string => `${time.toFixed(0)} µs`;
  return [
    sessions.toLocaleString("en"),
    Number(count).toLocaleString("en"),
    micro(of("one")),
    micro(of("any")),
    `${(of("one") / of("roundTrip")).toFixed(2)}, ${(of("any") / of("roundTrip")).toFixed(2)}`,
    `${walOne.toFixed(0)} B`,
    `${walAny.toFixed(0)} B`,
    micro(of("last")),
    `${median(lists).toFixed(1)} ms`,
    String(levels),
    (Number(recordBytes) / Number(count)).toFixed(0),
    (Number(sessionBytes) / sessions).toFixed(0),
  ];
}

function eventAt(share: number): SessionEvent {
  const event = events[Math.floor(share * events.length)];
  if (event === undefined) throw new RangeError(`wanted a share below 1, met ${share}`);
  return event;
}

async function readLast(store: Checkpointer, sessionId: string): Promise<void> {
  let count = 0;
  for await (const _event of store.read(sessionId, { limit: 50, reverse: true })) count += 1;
  if (count !== 50) throw new Error(`wanted 50 events, met ${count}`);
}

/** Bytes of the write-ahead log for each operation. */
async function walOf(
  client: pg.Client,
  count: number,
  operation: () => Promise<unknown>,
): Promise<number> {
  const at = async (): Promise<string> => {
    const { rows } = await client.query<{ lsn: string }>(
      "SELECT pg_current_wal_insert_lsn() AS lsn",
    );
    return rows[0]?.lsn ?? "";
  };
  const before = await at();
  for (let done = 0; done < count; done += 1) await operation();
  const { rows } = await client.query<{ bytes: string }>(
    "SELECT pg_wal_lsn_diff($1::pg_lsn, $2::pg_lsn) AS bytes",
    [await at(), before],
  );
  return Number(rows[0]?.bytes) / count;
}
