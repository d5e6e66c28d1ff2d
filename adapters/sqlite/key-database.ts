import type { Database } from "better-sqlite3";
import { readIdentity, refuse } from "./database-identity.ts";
import { createPrivateFile, identify, sizeOf, type FileIdentity } from "./file-identity.ts";
import type { OpenDatabase } from "./load-driver.ts";

/** An open key database that is known to be ours. */
export interface KeyDatabase {
  readonly database: Database;
  readonly identity: FileIdentity;
}

/**
 * `PRAGMA application_id` of every key database: "CKEY" in ASCII, so that neither it nor a database
 * of sessions is ever opened as the other.
 */
const applicationId = 0x434b4559;

/** `PRAGMA user_version` of the layout below. A higher one was written by a newer version. */
const schemaVersion = 1;

/**
 * - `keys.position` is the order in which keys were added.
 * - `keys.session` and `shredded.session` are session ids, compared byte by byte.
 * - `keys.wrapped` alone holds what `shred` is about, and no index repeats it.
 */
const createSchemaSql = `
  CREATE TABLE keys (
    position INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    id TEXT NOT NULL,
    wrapper TEXT NOT NULL,
    wrapped BLOB NOT NULL,
    created TEXT NOT NULL,
    UNIQUE (session, id)
  ) STRICT;
  CREATE TABLE shredded (session TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};
`;

/**
 * Opens a key database, and makes one where there is none. One attempt: throws "busy" at once.
 * Nothing is written before the database is known to be ours or new.
 */
export function openKeyDatabase(open: OpenDatabase, file: string): KeyDatabase {
  createPrivateFile(file);
  if (sizeOf(`${file}-wal`) > 0) probe(open, file);
  const identity = identify(file);
  if (identity === null) throw refuse(file, "it was removed while it was opened");
  const database = open(file, { timeout: 0, fileMustExist: true });
  try {
    if (!isOurs(database, file)) createSchema(database, file);
    if (database.pragma("journal_mode", { simple: true }) !== "wal") {
      database.pragma("journal_mode = WAL");
    }
    // A key that is lost takes every record sealed with it along.
    database.pragma("synchronous = FULL");
    // Zeros over what is deleted (sqlite.org/pragma.html#pragma_secure_delete).
    database.pragma("secure_delete = ON");
    return { database, identity };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Closing the last ordinary connection moves a write-ahead log into the database, whosever it is.
 */
function probe(open: OpenDatabase, file: string): void {
  const database = open(file, { timeout: 0, readonly: true });
  try {
    isOurs(database, file);
  } finally {
    database.close();
  }
}

/** One transaction, in which the first of many openers wins and the others find its work. */
function createSchema(database: Database, file: string): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    if (!isOurs(database, file)) database.exec(createSchemaSql);
    database.exec("COMMIT");
  } finally {
    if (database.inTransaction) database.exec("ROLLBACK");
  }
}

/**
 * @returns false when nothing was ever stored in it
 * @throws CheckpointError `UNSUPPORTED_FORMAT` when it is another program's or a newer version's
 */
function isOurs(database: Database, file: string): boolean {
  const { application, version, tables } = readIdentity(database, file);
  if (application === 0 && version === 0 && tables.length === 0) return false;
  if (application !== applicationId) throw refuse(file, "it is no key database");
  if (version !== schemaVersion) {
    const detail = `it has layout ${String(version)}, this version knows ${schemaVersion}`;
    throw refuse(file, detail);
  }
  if (tables.includes("keys") && tables.includes("shredded")) return true;
  throw refuse(file, "its tables are missing");
}
