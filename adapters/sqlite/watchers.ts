import { sizeOf } from "./file-identity.ts";
import type { LazyConnection } from "./lazy-connection.ts";

/** Everybody who waits for changes on one handle. */
export interface Watchers {
  /** Yields after changes until `signal` aborts or the store closes. */
  watch(sessionId: string, signal: AbortSignal): AsyncGenerator<void, void, void>;
  /** Wakes who waits for this session. */
  wake(sessionId: string): void;
  /** Ends every watch. */
  close(): void;
}

interface Watcher {
  readonly sessionId: string;
  wake(): void;
}

/**
 * One timer for all watchers of a handle. `PRAGMA data_version` tells that some other connection
 * has changed something, from shared memory and without reading the file; own changes wake at once.
 *
 * @see https://www.sqlite.org/pragma.html#pragma_data_version
 */
export function createWatchers(lazy: LazyConnection, file: string, pollMs: number): Watchers {
  const watchers = new Set<Watcher>();
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let lastVersion: number | undefined;

  function poll(): void {
    const version = dataVersion();
    if (version === lastVersion) return;
    lastVersion = version;
    for (const watcher of watchers) watcher.wake();
  }

  /** Before the database is open, and when reading it fails, its size must do as a hint. */
  function dataVersion(): number | undefined {
    const connection = lazy.current();
    if (connection === undefined) return -sizeOf(file);
    try {
      return connection.statements.dataVersion.get();
    } catch {
      return lastVersion;
    }
  }

  function add(watcher: Watcher): void {
    watchers.add(watcher);
    if (timer !== undefined) return;
    lastVersion = dataVersion();
    timer = setInterval(poll, pollMs).unref();
  }

  function remove(watcher: Watcher): void {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async *watch(sessionId, signal) {
      const stop = AbortSignal.any([signal, ending.signal]);
      let changed = false;
      let resume = (): void => undefined;
      const wake = (): void => {
        changed = true;
        resume();
      };
      const watcher = { sessionId, wake };
      add(watcher);
      stop.addEventListener("abort", wake);
      try {
        while (!stop.aborted) {
          if (!changed) await new Promise<void>((resolve) => void (resume = resolve));
          changed = false;
          if (!stop.aborted) yield;
        }
      } finally {
        stop.removeEventListener("abort", wake);
        remove(watcher);
      }
    },
    wake(sessionId) {
      for (const watcher of watchers) if (watcher.sessionId === sessionId) watcher.wake();
    },
    close: () => ending.abort(),
  };
}
