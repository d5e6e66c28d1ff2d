import { randomUUID } from "node:crypto";
import process from "node:process";
import pg from "pg";
import type { Batch, Change, RecordRange, RecordStore, StoredRecord } from "../../../src/index.ts";
import type { PostgresStoreOptions } from "../postgres-options.ts";
import { postgresStore, type PostgresStore } from "../postgres-store.ts";

/** The server of this test run; the tests are skipped without one. */
export const serverUrl: string = process.env["PG_TEST_URL"] ?? "";

/** Why a test file is skipped, for `describe.skipIf`. */
export const hasNoServer: boolean = serverUrl === "";

const cleaners: Array<() => unknown> = [];

/** Closes and removes what a test has opened, last things first; for `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleaners.splice(0).toReversed()) await clean();
}

/** Something to be done at the end of the test. */
export function atEnd(clean: () => unknown): void {
  cleaners.push(clean);
}

/** A name for a schema that is gone after the test. */
export function temporarySchema(): string {
  const schema = `ckpt_test_${randomUUID().replaceAll("-", "")}`;
  atEnd(() => sql(`SET client_min_messages = error; DROP SCHEMA IF EXISTS "${schema}" CASCADE`));
  return schema;
}

/** A store that is closed after the test. */
export function openStore(options: Partial<PostgresStoreOptions> = {}): PostgresStore {
  const own = options.pool === undefined ? { connectionString: serverUrl } : {};
  const schema = options.schema ?? temporarySchema();
  const store = postgresStore({ ...own, ...options, schema });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= store.close());
  atEnd(close);
  return { ...store, close };
}

/** Runs SQL as another program would. */
export async function sql(text: string, values?: unknown[]): Promise<unknown[][]> {
  const client = await connect();
  try {
    const { rows } = await client.query<unknown[]>({
      text,
      values: values ?? [],
      rowMode: "array",
    });
    return rows;
  } finally {
    await client.end();
  }
}

/** A plain connection; closed after the test. */
export async function openClient(): Promise<pg.Client> {
  const client = await connect();
  atEnd(() => client.end());
  return client;
}

/** A pool as another program has it; ended after the test. */
export function openPool(max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: serverUrl, max });
  pool.on("error", () => undefined);
  atEnd(() => pool.end());
  return pool;
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: serverUrl });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

let lastMtime = Date.now();

/** A change that appends one batch. */
export function append(
  payloads: readonly (string | Uint8Array)[],
  change?: Partial<Change>,
): Change {
  lastMtime = Math.round(lastMtime * 1_000 + 1) / 1_000;
  const ts = new Date(lastMtime).toISOString();
  const batch: Batch = { records: payloads.map((payload) => ({ ts, payload })) };
  return { base: null, batches: [batch], mtime: lastMtime, ...change };
}

/** A change that appends one batch under a key. */
export function appendKeyed(key: string, payloads: readonly string[]): Change {
  const change = append(payloads);
  return { ...change, batches: change.batches.map((batch) => ({ ...batch, key })) };
}

/** A change that drops all records above a seq. */
export function keep(seq: number): Change {
  return append([], { keep: seq, batches: [] });
}

/** All records of a range. */
export async function readAll(
  store: RecordStore,
  sessionId: string,
  part?: Partial<RecordRange>,
): Promise<StoredRecord[]> {
  const whole = { sinceSeq: 0, untilSeq: Number.MAX_SAFE_INTEGER, limit: Infinity, reverse: false };
  const records: StoredRecord[] = [];
  for await (const page of store.read(sessionId, { ...whole, ...part })) records.push(...page);
  return records;
}
