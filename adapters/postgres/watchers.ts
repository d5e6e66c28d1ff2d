import { createHash } from "node:crypto";
import type pg from "pg";
import { binaryArray } from "./binary-array.ts";
import type { Database } from "./database.ts";
import type { Hosts } from "./hosts.ts";
import type { Driver } from "./load-driver.ts";

/** Everybody who waits for changes on one handle, and the word that goes to other processes. */
export interface Watchers {
  /** Yields after changes until `signal` aborts or the store closes. */
  watch(sessionId: string, signal: AbortSignal): AsyncGenerator<void, void, void>;
  /** A change of this handle: wakes who waits here, and tells others. */
  changed(sessionId: string): void;
  /** Ends every watch. */
  close(): Promise<void>;
}

interface Watcher {
  readonly sessionId: string;
  wake(): void;
}

/**
 * Milliseconds in which changes share one notification. Notifying commits take turns in the whole
 * database, so that every append of a busy store would wait for every other one.
 */
const coalesceMs = 20;

/** Milliseconds between attempts to listen again, at first and at most. */
const shortestRetryMs = 100;
const longestRetryMs = 5_000;

/**
 * NOTIFY is sent apart from the change and only hints that there was one; a follower polls beside it.
 * One connection listens for all watchers of a handle, and only while there are any.
 *
 * @see https://www.postgresql.org/docs/current/sql-notify.html
 */
export function createWatchers(
  driver: Driver,
  hosts: Hosts,
  database: Database,
  options: { readonly schema: string; readonly notify: boolean },
): Watchers {
  const digest = createHash("sha256").update(options.schema).digest("hex");
  const channel = `checkpointer_${digest.slice(0, 32)}`;
  const watchers = new Set<Watcher>();
  const ending = new AbortController();
  /** Set once it listens; `isListening` from the moment it is asked to. */
  let listener: pg.Client | undefined;
  let isListening = false;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = shortestRetryMs;

  const pending = new Set<string>();
  let notifying: Promise<void> | undefined;

  const statement = {
    name: "",
    text: "SELECT pg_notify($1, name) FROM unnest($2::text[]) AS name",
  };

  async function notify(): Promise<void> {
    while (pending.size > 0 && !ending.signal.aborted) {
      const names = [...pending];
      pending.clear();
      // A hint that gets lost costs a follower the time until its next poll.
      await database.run(statement, [channel, binaryArray("text", names)]).catch(() => undefined);
      await new Promise<void>((resolve) => void setTimeout(resolve, coalesceMs).unref());
    }
    notifying = undefined;
  }

  async function listen(): Promise<void> {
    const client = new driver.Client(await hosts.config());
    client.on("error", () => lost(client)).on("end", () => lost(client));
    client.on("notification", ({ payload = "" }) => wake(payload));
    await client.connect();
    // Missing in the package's types alone.
    (client as pg.Client & { unref(): void }).unref();
    await client.query(`LISTEN ${channel}`);
    retryMs = shortestRetryMs;
    listener = client;
    // Whatever happened while nobody listened.
    for (const watcher of watchers) watcher.wake();
    // Everybody may have left meanwhile.
    if (watchers.size === 0 || ending.signal.aborted) await silence();
  }

  function start(): void {
    if (isListening || retry !== undefined || ending.signal.aborted) return;
    isListening = true;
    listen().catch(() => {
      isListening = false;
      scheduleRetry();
    });
  }

  function lost(client: pg.Client): void {
    if (listener !== client) return;
    listener = undefined;
    isListening = false;
    scheduleRetry();
  }

  function scheduleRetry(): void {
    if (watchers.size === 0 || ending.signal.aborted || retry !== undefined) return;
    retry = setTimeout(() => {
      retry = undefined;
      if (watchers.size > 0) start();
    }, retryMs).unref();
    retryMs = Math.min(2 * retryMs, longestRetryMs);
  }

  async function silence(): Promise<void> {
    clearTimeout(retry);
    retry = undefined;
    const client = listener;
    // One that is still connecting finds out by itself.
    if (client === undefined) return;
    listener = undefined;
    isListening = false;
    await client.end().catch(() => undefined);
  }

  function wake(sessionId: string): void {
    for (const watcher of watchers) if (watcher.sessionId === sessionId) watcher.wake();
  }

  function remove(watcher: Watcher): void {
    watchers.delete(watcher);
    if (watchers.size === 0) void silence();
  }

  return {
    async *watch(sessionId, signal) {
      const stop = AbortSignal.any([signal, ending.signal]);
      let changed = false;
      let resume = (): void => undefined;
      const watcher = {
        sessionId,
        wake: (): void => {
          changed = true;
          resume();
        },
      };
      watchers.add(watcher);
      if (options.notify) start();
      stop.addEventListener("abort", watcher.wake);
      try {
        while (!stop.aborted) {
          if (!changed) await new Promise<void>((resolve) => void (resume = resolve));
          changed = false;
          if (!stop.aborted) yield;
        }
      } finally {
        stop.removeEventListener("abort", watcher.wake);
        remove(watcher);
      }
    },
    changed(sessionId) {
      wake(sessionId);
      if (!options.notify) return;
      pending.add(sessionId);
      notifying ??= notify();
    },
    async close() {
      ending.abort();
      await silence();
    },
  };
}
