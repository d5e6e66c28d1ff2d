import type { Database } from "better-sqlite3";
import { CheckpointError, quote } from "../../src/index.ts";
import { quickCheck } from "./check-integrity.ts";
import { identifyDatabase } from "./database-identity.ts";
import {
  createPrivateFile,
  identify,
  requireUnmoved,
  sizeOf,
  type FileIdentity,
} from "./file-identity.ts";
import { createKnownHeads, type KnownHeads } from "./known-heads.ts";
import type { OpenDatabase } from "./load-driver.ts";
import { createSchemaSql } from "./schema.ts";
import type { ResolvedOptions } from "./sqlite-options.ts";
import { prepareStatements, type Statements } from "./statements.ts";

/** An open database that is known to be ours. */
export interface Connection {
  readonly database: Database;
  readonly statements: Statements;
  /** null for a database in memory. */
  readonly file: FileIdentity | null;
  readonly heads: KnownHeads;
}

/** Bytes that the write-ahead log is cut back to when it starts over. */
const journalSizeLimit = 4 * 1024 * 1024;

/**
 * Opens the database, and makes a new one where there is none.
 *
 * One attempt: throws "busy" at once, also where SQLite would not have waited, as for the switch to
 * WAL. Nothing is written before the database is known to be ours or new.
 */
export function openConnection(open: OpenDatabase, options: ResolvedOptions): Connection {
  const { file, inMemory } = options;
  const existed = inMemory || prepareFile(open, file);
  const before = inMemory ? null : identify(file);
  const database = open(file, { timeout: 0, fileMustExist: !inMemory && existed });
  try {
    if (identifyDatabase(database, file) === "empty") createSchema(database, file);
    if (!inMemory) useWriteAheadLog(database, file);
    database.pragma(`synchronous = ${options.synchronous}`);
    database.pragma(`journal_size_limit = ${journalSizeLimit}`);
    if (options.integrityCheckOnOpen) requireIntegrity(database, file);
    if (before !== null) requireUnmoved(before);
    const statements = prepareStatements(database);
    return { database, statements, file: before, heads: createKnownHeads() };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Creates an absent file, and looks into one that has a write-ahead log through a connection that
 * cannot write: closing the last ordinary one would move that log into the database.
 */
function prepareFile(open: OpenDatabase, file: string): boolean {
  if (identify(file) === null) {
    createPrivateFile(file);
    return true;
  }
  if (sizeOf(`${file}-wal`) > 0) {
    const probe = open(file, { timeout: 0, readonly: true });
    try {
      identifyDatabase(probe, file);
    } finally {
      probe.close();
    }
  }
  return true;
}

/** One transaction, in which the first of many openers wins and the others find its work. */
function createSchema(database: Database, file: string): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    if (identifyDatabase(database, file) === "empty") database.exec(createSchemaSql);
    database.exec("COMMIT");
  } finally {
    if (database.inTransaction) database.exec("ROLLBACK");
  }
}

/** Asks first, since the switch takes a lock that only one of many openers can have. */
function useWriteAheadLog(database: Database, file: string): void {
  if (database.pragma("journal_mode", { simple: true }) === "wal") return;
  const mode = database.pragma("journal_mode = WAL", { simple: true });
  if (mode === "wal") return;
  throw new CheckpointError(
    "IO_FAILED",
    `Cannot open ${quote(file)}: wanted a file system that can hold a write-ahead log, ` +
      `met journal mode ${String(mode)}`,
  );
}

function requireIntegrity(database: Database, file: string): void {
  const { ok, detail } = quickCheck(database);
  if (ok) return;
  throw new CheckpointError("CORRUPT_LOG", `Cannot open ${quote(file)}: ${detail}`);
}
