import { randomUUID } from "node:crypto";
import process from "node:process";
import pg from "pg";
import { postgresKeyStore, type PostgresKeyStore } from "../key-store.ts";
import { postgresAnchor, type PostgresAnchor } from "../postgres-anchor.ts";
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

/** An anchor that is closed after the test. */
export function openAnchor(options: Partial<PostgresStoreOptions> = {}): PostgresAnchor {
  const { schema = temporarySchema(), connectionString = serverUrl, ...rest } = options;
  const anchor = postgresAnchor({ connectionString, ...rest, schema });
  atEnd(() => anchor.close());
  return anchor;
}

/** A key store that is closed after the test. */
export function openKeyStore(options: Partial<PostgresStoreOptions> = {}): PostgresKeyStore {
  const { schema = temporarySchema(), connectionString = serverUrl, ...rest } = options;
  const store = postgresKeyStore({ connectionString, ...rest, schema });
  atEnd(() => store.close());
  return store;
}

/** Makes a role that may do nothing until somebody grants it something. */
export async function createRole(): Promise<{ role: string; connectionString: string }> {
  const role = `ckpt_role_${randomUUID().replaceAll("-", "")}`;
  await sql(`CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
  atEnd(() => sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
  const url = new URL(serverUrl);
  url.username = role;
  url.password = "p";
  return { role, connectionString: url.href };
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
