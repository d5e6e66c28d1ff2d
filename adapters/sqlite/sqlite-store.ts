import { limits, quote, type RecordStore, type StoreCapabilities } from "../../src/index.ts";
import { applyAlone, applyChange, type Applied } from "./apply-change.ts";
import { retryWhileBusy } from "./back-off.ts";
import { backUp } from "./back-up.ts";
import { quickCheck } from "./check-integrity.ts";
import type { IntegrityReport } from "./integrity-report.ts";
import type { Connection } from "./connection.ts";
import { detachSession, purgeSession, purgeStale, type HiddenSession } from "./hidden-sessions.ts";
import { createLazyConnection } from "./lazy-connection.ts";
import { listSessions } from "./list-sessions.ts";
import { loadDriver, type OpenDatabase } from "./load-driver.ts";
import { readPages } from "./read-pages.ts";
import { readTransaction } from "./read-transaction.ts";
import { rewriteLog } from "./rewrite-log.ts";
import { findSession, readHead } from "./session-row.ts";
import { wrapError } from "./sqlite-errors.ts";
import { resolveOptions, type ResolvedOptions, type SqliteStoreOptions } from "./sqlite-options.ts";
import { verifyRecords } from "./verify-records.ts";
import { checkpoint, createWalUpkeep } from "./wal-upkeep.ts";
import { createWatchers } from "./watchers.ts";
import { createWriteQueue } from "./write-queue.ts";

/** What a SQLite store can do beyond storing records. */
export interface SqliteOperations {
  /**
   * Checks the whole file with `PRAGMA quick_check`. Takes time in proportion to the file, during
   * which the process does nothing else. An absent database is in order.
   */
  checkIntegrity(): Promise<IntegrityReport>;
  /**
   * Copies the database, as it is at this moment, into one new file that is a database of its own.
   * Others may go on writing. Never copy the file by other means while it is in use: what is still
   * in its write-ahead log would be missing.
   *
   * @param path - replaced if it exists, once the copy is complete
   * @throws CheckpointError `IO_FAILED` when a database of that name is in use, or the copy failed
   */
  backup(path: string): Promise<void>;
}

/** A `RecordStore` on SQLite, with its operations. */
export interface SqliteStore extends RecordStore, SqliteOperations {}

/** What is slow by nature; tests make it fast. */
export interface Tuning {
  /** Quiet milliseconds before the write-ahead log is emptied. */
  readonly quietMs: number;
  /** Milliseconds between looks for changes of others. */
  readonly watchPollMs: number;
  /** Milliseconds of silence after which staged records count as left behind. */
  readonly staleMs: number;
}

const defaultTuning: Tuning = { quietMs: 5_000, watchPollMs: 50, staleMs: 60 * 60 * 1_000 };

/**
 * A store in one SQLite file, shared by any number of processes of one machine.
 *
 * It has no `exclusively`: a transaction that stays open across asynchronous work would take in
 * every other write of this handle, and keep other processes out for as long. The engine encodes
 * again instead when another handle was faster.
 *
 * @throws CheckpointError `NOT_SUPPORTED` when better-sqlite3 is not installed
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  return createSqliteStore(resolveOptions(options), loadDriver(), defaultTuning);
}

/**
 * `sqliteStore` with its driver and its timers handed in.
 *
 * @param open - an `OpenDatabase`; its type stays out of the published declarations, which have to
 * compile where the driver's types are not installed
 */
export function createSqliteStore(
  options: ResolvedOptions,
  open: (file: string, options: never) => unknown,
  tuning: Tuning = defaultTuning,
): SqliteStore {
  const { file, busyTimeoutMs } = options;
  const lazy = createLazyConnection(open as OpenDatabase, options);
  const upkeep = createWalUpkeep(lazy, tuning.quietMs);
  const watchers = createWatchers(lazy, file, tuning.watchPollMs);
  let purging: Promise<void> | undefined;
  let closing = false;

  const queue = createWriteQueue(lazy, busyTimeoutMs, (sessionId) => {
    upkeep.written();
    if (sessionId !== undefined) watchers.wake(sessionId);
    // Only a process that writes anyway cleans up, and only once.
    purging ??= purge();
  });

  async function purge(): Promise<void> {
    // Whoever made this happen comes first.
    await Promise.resolve();
    const statements = lazy.current()?.statements;
    if (statements === undefined) return;
    await purgeStale(queue, statements, tuning.staleMs, () => closing).catch(() => undefined);
  }

  /** Reads from the database, or gives `absent` where there is none. */
  async function look<T>(
    action: string,
    absent: T,
    read: (connection: Connection) => T,
    sessionId?: string,
  ): Promise<T> {
    const connection = await lazy.openExisting();
    if (connection === null) return absent;
    try {
      return await retryWhileBusy(() => read(connection), busyTimeoutMs);
    } catch (error) {
      throw wrapError(action, error, sessionId);
    }
  }

  const head: SqliteStore["head"] = (sessionId) =>
    look(
      "read",
      null,
      // One moment for both: a log that another process cuts in between is not a damaged one.
      (connection) =>
        readTransaction(connection, () => {
          const { statements } = connection;
          return readHead(statements, sessionId, findSession(statements, sessionId));
        }),
      sessionId,
    );

  return {
    capabilities: describe(options),
    head,

    commit(sessionId, change) {
      let applied: Applied | null = null;
      return queue.write({
        sessionId,
        run: (connection) => (applied = applyChange(connection, sessionId, change)).outcome,
        runAlone(connection) {
          applied = applyAlone(connection, sessionId, change);
          return applied === null ? null : applied.outcome;
        },
        committed({ heads }) {
          if (applied?.known == null) heads.forget(sessionId);
          else heads.set(sessionId, applied.known);
        },
      });
    },

    read: (sessionId, range) => readPages(lazy, busyTimeoutMs, sessionId, range),

    list: (page) => look("list", [], (connection) => listSessions(connection, page)),

    async delete(sessionId) {
      const absent = lazy.current() === undefined && (await lazy.openExisting()) === null;
      if (absent) return;
      const hidden = await queue.write<HiddenSession | null>({
        sessionId,
        run({ statements }) {
          const session = findSession(statements, sessionId);
          return session === null ? null : detachSession(statements, session);
        },
        committed: ({ heads }) => heads.forget(sessionId),
      });
      // It is deleted already; what cannot be purged now is purged by a later opener.
      if (hidden !== null) await purgeSession(queue, hidden).catch(() => undefined);
    },

    rewrite: (sessionId, base, records, mtime) =>
      rewriteLog(queue, head, sessionId, base, records, mtime),

    watch: (sessionId, signal) => watchers.watch(sessionId, signal),

    verify: (sessionId) =>
      look("verify", [], (connection) => verifyRecords(connection, sessionId), sessionId),

    checkIntegrity: () =>
      look("check", { ok: true, detail: "ok" }, ({ database }) => quickCheck(database)),

    async backup(path) {
      const connection = await lazy.open();
      try {
        await backUp(open as OpenDatabase, connection, path);
      } catch (error) {
        throw wrapError(`back up to ${quote(path)}`, error);
      }
    },

    async close() {
      closing = true;
      upkeep.close();
      watchers.close();
      await purging;
      await queue.idle();
      const connection = lazy.current();
      if (connection !== undefined) checkpoint(connection);
      lazy.close();
    },
  };
}

function describe({ inMemory, synchronous }: ResolvedOptions): StoreCapabilities {
  const durable = synchronous === "full" ? "power" : "process";
  return Object.freeze({
    concurrency: inMemory ? "instance" : "host",
    durability: inMemory ? "none" : durable,
    readIsolation: "prefix",
    clock: "local",
    limits: Object.freeze({
      maxEventBytes: limits.maxEventBytes,
      maxBatchEvents: limits.maxBatchEvents,
      maxSessionIdBytes: limits.maxSessionIdBytes,
    }),
    truncate: true,
    idempotency: true,
  });
}
