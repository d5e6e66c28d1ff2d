import type { Connection } from "./connection.ts";
import { isUnmoved, sizeOf } from "./file-identity.ts";
import type { LazyConnection } from "./lazy-connection.ts";

/** Keeps the write-ahead log from staying large after a burst of writes. */
export interface WalUpkeep {
  /** Called after every commit, so it must cost nothing. */
  written(): void;
  close(): void;
}

/** A log below this stays: emptying it costs two syncs, and the next writes would fill it again. */
const smallWal = 1024 * 1024;

/**
 * Empties the write-ahead log when nothing was written for a while. SQLite by itself only starts it
 * over and never gives its space back while a connection is open.
 *
 * @param quietMs - how long; the timer never keeps the process alive
 * @see https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
 */
export function createWalUpkeep(lazy: LazyConnection, quietMs: number): WalUpkeep {
  let timer: NodeJS.Timeout | undefined;
  let isQuiet = true;

  function check(): void {
    timer = undefined;
    if (!isQuiet || !emptyWal()) arm();
  }

  /** Re-arming a timer at every commit would cost more than letting it look. */
  function arm(): void {
    isQuiet = true;
    timer ??= setTimeout(check, quietMs).unref();
  }

  /** false when a reader or writer was in the way. */
  function emptyWal(): boolean {
    const connection = lazy.current();
    if (connection === undefined || connection.file === null) return true;
    return sizeOf(`${connection.file.file}-wal`) <= smallWal || checkpoint(connection);
  }

  return {
    written() {
      isQuiet = false;
      if (timer === undefined) arm();
    },
    close: () => clearTimeout(timer),
  };
}

/**
 * Moves the write-ahead log into the database and empties it.
 *
 * @returns false when a reader or writer was in the way; true also when it failed or there is no
 * such log, since nothing is lost by leaving it
 */
export function checkpoint({ database, file }: Connection): boolean {
  if (file === null || !isUnmoved(file)) return true;
  try {
    return database.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 0;
  } catch {
    return true;
  }
}
