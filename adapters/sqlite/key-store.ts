import path from "node:path";
import type { Database } from "better-sqlite3";
import {
  CheckpointError,
  isCheckpointError,
  quote,
  requireSessionId,
  type SessionKeyStore,
  type WrappedKey,
} from "../../src/index.ts";
import { retryWhileBusy } from "./back-off.ts";
import { requireUnmoved, sizeOf } from "./file-identity.ts";
import { openKeyDatabase, type KeyDatabase } from "./key-database.ts";
import { loadDriver, type OpenDatabase } from "./load-driver.ts";
import { wrapError } from "./sqlite-errors.ts";

/** Options of {@link sqliteKeyStore}. */
export interface SqliteKeyStoreOptions {
  /**
   * A database file for keys alone: not the log's, nor in its backups. Created with the first key.
   */
  readonly file: string;
  /**
   * Milliseconds to wait for another process, without blocking the event loop, before
   * `KEY_UNAVAILABLE`. 0 to 2^31-1. Default 5,000.
   */
  readonly busyTimeoutMs?: number | undefined;
}

/** Session ids in one step of `list`. */
const listPageSize = 1_000;

/**
 * Session keys in one SQLite database, for any number of processes of one machine; a network file
 * system is not safe for SQLite. Every change is synced before it is acknowledged.
 *
 * `shred` overwrites the keys in the database with zeros and empties its write-ahead log. Flash
 * drives, file systems that copy on write, snapshots and backups may hold the old bytes
 * nevertheless.
 *
 * @throws CheckpointError `NOT_SUPPORTED` when better-sqlite3 is not installed
 * @throws TypeError or RangeError for bad options
 * @example
 * ```ts
 * const store = sqliteKeyStore({ file: "./keys.db" });
 * const keys = sessionKeys({ store, wrapper: localWrapper({ key }) });
 * ```
 */
export function sqliteKeyStore(options: SqliteKeyStoreOptions): SessionKeyStore {
  return createSqliteKeyStore(options, loadDriver());
}

/** `sqliteKeyStore` with its driver handed in. */
function createSqliteKeyStore(options: SqliteKeyStoreOptions, open: OpenDatabase): SessionKeyStore {
  const { file, busyTimeoutMs } = resolveOptions(options);
  let connection: KeyDatabase | undefined;
  let closed = false;

  /** Every try is one synchronous step, so that calls of one handle need no queue. */
  async function run<T>(
    action: string,
    sessionId: string | undefined,
    work: (database: Database) => T,
  ): Promise<T> {
    requireOpen();
    if (sessionId !== undefined) requireSessionId(sessionId);
    try {
      return await retryWhileBusy(() => {
        requireOpen();
        connection ??= openKeyDatabase(open, file);
        // Otherwise SQLite goes on writing into a file that nobody finds again.
        requireUnmoved(connection.identity);
        return work(connection.database);
      }, busyTimeoutMs);
    } catch (error) {
      throw keyStoreError(error, action, sessionId);
    }
  }

  /** Runs a change in a transaction of its own. */
  function change<T>(
    action: string,
    sessionId: string,
    work: (database: Database) => T,
  ): Promise<T> {
    return run(action, sessionId, (database) =>
      database.transaction(() => work(database)).immediate(),
    );
  }

  /** Looking creates no file. */
  function exists(): boolean {
    return connection !== undefined || sizeOf(file) > 0;
  }

  function requireOpen(): void {
    if (closed) throw new CheckpointError("CLOSED", "Cannot use the key store: it was closed");
  }

  return {
    async get(sessionId) {
      requireOpen();
      requireSessionId(sessionId);
      if (!exists()) return { shredded: false, keys: [] };
      return run("read the keys of", sessionId, (database) =>
        // One statement, and so one state of the database.
        toSessionKeys(selectSession(database).all(sessionId, sessionId)),
      );
    },

    add: (sessionId, key) =>
      change("add a key to", sessionId, (database) => {
        if (isShredded(database, sessionId)) return false;
        const { changes } = database
          .prepare(
            `INSERT INTO keys (session, id, wrapper, wrapped, created) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (session, id) DO NOTHING`,
          )
          .run(sessionId, key.id, key.wrapperId, key.wrapped, key.created);
        return changes === 1;
      }),

    replace: (sessionId, keys) =>
      change("replace keys of", sessionId, (database) => {
        if (isShredded(database, sessionId)) return false;
        const update = database.prepare(
          "UPDATE keys SET wrapper = ?, wrapped = ?, created = ? WHERE session = ? AND id = ?",
        );
        for (const { id, wrapperId, wrapped, created } of keys) {
          update.run(wrapperId, wrapped, created, sessionId, id);
        }
        return true;
      }),

    async shred(sessionId) {
      await change("shred the keys of", sessionId, (database) => {
        database.prepare("DELETE FROM keys WHERE session = ?").run(sessionId);
        database.prepare("INSERT OR IGNORE INTO shredded (session) VALUES (?)").run(sessionId);
      });
      // The old pages are still in the log, until it is moved into the database and cut to nothing.
      await run("shred the keys of", sessionId, emptyWriteAheadLog);
    },

    revive: (sessionId) =>
      change("revive", sessionId, (database) => {
        database.prepare("DELETE FROM shredded WHERE session = ?").run(sessionId);
      }),

    async *list() {
      requireOpen();
      let after = "";
      while (exists()) {
        const page = await run("list", undefined, (database) =>
          selectSessions(database).all(after, after, listPageSize),
        );
        yield* page;
        const last = page.at(-1);
        if (last === undefined) return;
        after = last;
      }
    },

    async close() {
      closed = true;
      connection?.database.close();
      connection = undefined;
    },
  };
}

type Row = [
  position: number | null,
  id: string,
  wrapperId: string,
  wrapped: Uint8Array,
  created: string,
];

/** A tombstone is a row without a key, and comes first. */
function selectSession(
  database: Database,
): ReturnType<typeof database.prepare<[string, string], Row>> {
  return database
    .prepare<[string, string], Row>(
      `SELECT position, id, wrapper, wrapped, created FROM keys WHERE session = ?
       UNION ALL SELECT NULL, '', '', x'', '' FROM shredded WHERE session = ? ORDER BY position`,
    )
    .raw();
}

function toSessionKeys(rows: readonly Row[]): { shredded: boolean; keys: WrappedKey[] } {
  if (rows[0]?.[0] === null) return { shredded: true, keys: [] };
  const keys = rows.map(([, id, wrapperId, wrapped, created]) => {
    return { id, wrapperId, wrapped: new Uint8Array(wrapped), created };
  });
  return { shredded: false, keys };
}

/** Ids above one, in order; "" is below every id. */
function selectSessions(
  database: Database,
): ReturnType<typeof database.prepare<[string, string, number], string>> {
  return database
    .prepare<[string, string, number], string>(
      `SELECT session FROM keys WHERE session > ?
       UNION SELECT session FROM shredded WHERE session > ? ORDER BY session LIMIT ?`,
    )
    .pluck();
}

function isShredded(database: Database, sessionId: string): boolean {
  return database.prepare("SELECT 1 FROM shredded WHERE session = ?").get(sessionId) !== undefined;
}

/** @throws an error that counts as busy while somebody reads an old state */
function emptyWriteAheadLog(database: Database): void {
  const [row] = database.pragma("wal_checkpoint(TRUNCATE)") as Array<{ busy: number }>;
  if (row?.busy === 0) return;
  throw Object.assign(new Error("the write-ahead log is in use"), { code: "SQLITE_BUSY" });
}

/**
 * What goes wrong with a file or a lock may go right later; nothing was changed, or all of it was.
 */
function keyStoreError(error: unknown, action: string, sessionId: string | undefined): unknown {
  const what = sessionId === undefined ? `${action} keys` : `${action} session ${quote(sessionId)}`;
  const wrapped = wrapError(what, error);
  if (!isCheckpointError(wrapped)) return wrapped;
  if (wrapped.code === "CORRUPT_LOG") {
    return new CheckpointError("UNSUPPORTED_FORMAT", wrapped.message, { cause: error });
  }
  if (wrapped.code !== "BUSY" && wrapped.code !== "IO_FAILED") return wrapped;
  return new CheckpointError("KEY_UNAVAILABLE", wrapped.message, { cause: error });
}

function resolveOptions(options: SqliteKeyStoreOptions): { file: string; busyTimeoutMs: number } {
  const { file, busyTimeoutMs = 5_000 } = options;
  if (typeof file !== "string" || file === "" || file.includes("\0")) {
    throw new TypeError("file: wanted a path, met something else");
  }
  // Keys that are gone with the process take the logs along.
  if (file === ":memory:")
    throw new RangeError("file: wanted a file, use memoryKeyStore() instead");
  if (!Number.isInteger(busyTimeoutMs) || busyTimeoutMs < 0 || busyTimeoutMs > 0x7fffffff) {
    throw new RangeError("busyTimeoutMs: wanted a whole number from 0 to 2147483647");
  }
  return { file: path.resolve(file), busyTimeoutMs };
}
