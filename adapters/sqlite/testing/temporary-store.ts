import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import type { OpenDatabase } from "../load-driver.ts";
import { resolveOptions, type SqliteStoreOptions } from "../sqlite-options.ts";
import { createSqliteStore, type SqliteStore, type Tuning } from "../sqlite-store.ts";

const cleaners: Array<() => unknown> = [];

/** Closes and removes what a test has opened, last things first; for `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleaners.splice(0).toReversed()) await clean();
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ckpt-sqlite-"));
  cleaners.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A path for a database in a folder of its own. */
export function temporaryFile(): string {
  return path.join(temporaryFolder(), "sessions.db");
}

/**
 * A store that is closed after the test, and every statement it runs.
 *
 * @param prepare - gets each connection before the store does
 */
export function openStore(
  options: SqliteStoreOptions,
  tuning: Partial<Tuning> = {},
  prepare: (database: Database.Database) => void = () => undefined,
): SqliteStore & { readonly log: string[] } {
  const log: string[] = [];
  const open: OpenDatabase = (file, driverOptions) => {
    const verbose = (sql: unknown): void => void log.push(String(sql));
    const database = new Database(file, { ...driverOptions, verbose });
    prepare(database);
    return database;
  };
  const slow = { quietMs: 60_000, watchPollMs: 10, staleMs: 3_600_000 };
  const store = createSqliteStore(resolveOptions(options), open, { ...slow, ...tuning });
  cleaners.push(() => store.close());
  return { ...store, log };
}

/** A plain connection to the same file, as another program has it; closed after the test. */
export function openDatabase(file: string): Database.Database {
  const database = new Database(file, { timeout: 0 });
  cleaners.push(() => void database.close());
  return database;
}
