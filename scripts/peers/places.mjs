// Where a store of the benchmark is put: a folder, or a database on a server. `given` is for the store; it is told how many
// bytes there are, and removed.

import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import pg from "pg";
import { startServer } from "../../dist/cli/postgres-server/start-server.js";

/** A new folder in another one. */
export function makeFolder(scratch) {
  const directory = mkdtempSync(join(scratch, "store-"));
  return {
    given: { directory },
    bytes: () => bytesIn(directory),
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }),
  };
}

const bytesIn = (directory) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    // A store that has no close goes on tidying up.
    .reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);

/** The server that PG_TEST_URL names, or one that goes with `stop`. */
export async function findServer() {
  const url = process.env.PG_TEST_URL;
  return url ? { url, stop: () => undefined } : startServer();
}

/** A new database on a server. */
export async function makeDatabase(server) {
  const name = `peers_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await ask(server, `CREATE DATABASE ${name}`);
  return {
    given: { url: url.href },
    bytes: async () => Number((await ask(url.href, tableBytes))[0].bytes),
    remove: () => ask(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** Tables with their indexes and what is stored beside them, without the server's own. */
const tableBytes = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

async function ask(connectionString, text) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
