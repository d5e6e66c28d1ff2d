import {
  type CheckpointError,
  isCheckpointError,
  requireSessionId,
  type SessionKeys,
  type WrappedKey,
} from "../src/index.ts";
import { createBoundedMap } from "./bounded-map.ts";
import { createChangeWatch } from "./change-watch.ts";
import { createDataKeys } from "./data-keys.ts";
import { createKeyCache } from "./key-cache.ts";
import { closedError, createKeyCalls, keyError } from "./key-calls.ts";
import type { KeySource } from "./key-source.ts";
import { labelled } from "./labelled.ts";
import { rewrapSessions, type RewrapOptions, type RewrapReport } from "./rewrap-sessions.ts";
import type { SecretKey } from "./secret-key.ts";
import { resolveSessionKeysOptions, type SessionKeysOptions } from "./session-key-options.ts";
import { createSingleFlight } from "./single-flight.ts";

/** Session keys, and what their owner may do with them. */
export interface SessionKeySource extends KeySource {
  /**
   * Adds a fresh data key, which seals whatever comes next here at once and elsewhere once caches
   * have aged; earlier keys stay. After a data key has leaked: `renew`, then re-seal the log
   * (`rekey`).
   *
   * @returns the id of the new key
   */
  renew(sessionId: string): Promise<string>;
  /**
   * Wraps every key that another wrapper made anew, under the current one; for one session or all.
   * No log changes. Each new wrapping is opened once before it replaces the old one. May be stopped
   * and called again at any time; it goes on with what is left.
   *
   * @throws CheckpointError `KEY_UNAVAILABLE` at the first call that fails for now; another code
   * once everything else is done, when there are keys that no configured wrapper opens. Keep the
   * old KEK
   */
  rewrap(sessionId?: string, options?: RewrapOptions): Promise<RewrapReport>;
  /**
   * Forgets the session's keys for ever: its records can be read no more (`KEY_SHREDDED`), and none
   * can be added. Takes effect at once in this process and within `maxAgeMs` in others, so stop its
   * writers first: what they append meanwhile is lost with the rest. Backups of the key store undo
   * it, and copies of content elsewhere (summaries, titles, plain exports) are not covered.
   */
  shred(sessionId: string): Promise<void>;
  /** Allows new keys for a shredded session; its old records stay unreadable (`KEY_UNKNOWN`). */
  revive(sessionId: string): Promise<void>;
  /** What happened since the source was made. */
  stats(): SessionKeyStats;
  /** Stops calls that are running, forgets all keys, and closes the store. Idempotent. */
  close(): Promise<void>;
  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Numbers that show whether a cache does its work. */
export interface SessionKeyStats {
  /** Uses that were answered from memory. */
  readonly hits: number;
  /** Uses that had to wait for the store or the wrapper. */
  readonly misses: number;
  /** Sessions read from the store. */
  readonly reads: number;
  readonly wraps: number;
  readonly unwraps: number;
  /** Keys in memory now. */
  readonly cached: number;
}

/**
 * Lives of one session that get a key of their own; later ones share the last. Bounds what a loop
 * of failing creations, or a session that is deleted and made anew all day, leaves in the store.
 */
const livesMaxKeys = 100;

/** Sessions whose first key is remembered until a record proves that it is in use. */
const rememberedBeginnings = 1_024;

/**
 * A random data key for every life of a session, kept wrapped in a store of its own. The
 * recommended way to keep keys in production: rotating the KEK rewrites no log, and one session can
 * be shredded.
 *
 * A new key is stored before anything is sealed with it, and keys are only ever added. When the
 * store or the wrapper fails, an append fails with `KEY_UNAVAILABLE` and nothing is written.
 * Concurrent uses of a key that is not in memory share one look into the store and one unwrapping.
 * Failures are not remembered.
 *
 * @param options - the store is the source's from now on; `close()` closes it
 * @throws TypeError or RangeError for bad options
 * @example
 * ```ts
 * const store = fileKeyStore({ dir: "./keys" });
 * const keys = sessionKeys({ store, wrapper: localWrapper({ key }) });
 * const codec = pipeline(compress(), aesGcm({ keys }));
 * ```
 */
export function sessionKeys(options: SessionKeysOptions): SessionKeySource {
  const resolved = resolveSessionKeysOptions(options);
  const { store, wrapper, cache } = resolved;
  const calls = createKeyCalls(resolved.timeoutMs, resolved.onFailure);
  const keys = createKeyCache<SecretKey>(cache);
  const newest = createKeyCache<string>(cache);
  /** The key that was added for a life's first record, while no record is known to carry it. */
  const begun = createBoundedMap<string>(rememberedBeginnings);
  const dataKeys = createDataKeys(resolved, calls);
  const watch = createChangeWatch();
  const finding = createSingleFlight<SecretKey>(isNegative);
  const beginning = createSingleFlight<SecretKey>(isNegative);
  const continuing = createSingleFlight<SecretKey>(isNegative);
  const unwrapping = createSingleFlight<SecretKey>(() => false);
  const counts = { hits: 0, misses: 0, reads: 0 };
  let closing: Promise<void> | undefined;

  function requireOpen(): void {
    if (closing !== undefined) throw closedError();
  }

  function current(sessionId: string, seq: number): SecretKey | Promise<SecretKey> {
    requireOpen();
    const begins = seq === 1;
    const id = newest.get(sessionId, "");
    const ours = id !== undefined && (!begins || begun.get(sessionId) === id);
    const known = ours ? keys.get(sessionId, id) : undefined;
    if (known !== undefined) {
      counts.hits += 1;
      return known;
    }
    counts.misses += 1;
    return begins
      ? beginning(sessionId, () => settled(sessionId, () => beginLife(sessionId)))
      : continuing(sessionId, () => settled(sessionId, () => continueLife(sessionId)));
  }

  function find(sessionId: string, keyId: string): SecretKey | Promise<SecretKey> {
    requireOpen();
    if (begun.get(sessionId) === keyId) begun.delete(sessionId);
    const known = keys.get(sessionId, keyId);
    if (known !== undefined) {
      counts.hits += 1;
      return known;
    }
    counts.misses += 1;
    return finding(`${keyId}:${sessionId}`, () =>
      settled(sessionId, () => lookUp(sessionId, keyId)),
    );
  }

  /** Repeats `load` when a shred, a revival or a renewal of ours came in between. */
  async function settled(sessionId: string, load: () => Promise<SecretKey>): Promise<SecretKey> {
    for (;;) {
      const key = await watch.during(sessionId, async (isUnchanged) => {
        const loaded = await load();
        return isUnchanged() ? loaded : null;
      });
      if (key !== null) return key;
    }
  }

  async function lookUp(sessionId: string, keyId: string): Promise<SecretKey> {
    const session = await read(sessionId);
    const wrapped = session.keys.find(({ id }) => id === keyId);
    if (wrapped !== undefined) return unwrap(sessionId, wrapped);
    if (session.shredded) throw shreddedError(sessionId, keyId);
    throw keyError("KEY_UNKNOWN", sessionId, keyId, "the key store does not have it");
  }

  /**
   * A life begins with a key of its own. An attempt that failed or lost a race begins it again with
   * the same key, for as long as nobody has met a record under that key.
   */
  async function beginLife(sessionId: string): Promise<SecretKey> {
    const session = await readLiving(sessionId);
    const ours = begun.get(sessionId);
    const full = session.keys.length >= livesMaxKeys;
    const reused =
      session.keys.find(({ id }) => id === ours) ?? (full ? session.keys.at(-1) : undefined);
    const key = await (reused === undefined ? add(sessionId) : unwrap(sessionId, reused));
    begun.set(sessionId, key.id);
    newest.set(sessionId, "", key.id);
    return key;
  }

  async function continueLife(sessionId: string): Promise<SecretKey> {
    const last = (await readLiving(sessionId)).keys.at(-1);
    const key = await (last === undefined ? add(sessionId) : unwrap(sessionId, last));
    newest.set(sessionId, "", key.id);
    return key;
  }

  function read(sessionId: string): Promise<SessionKeys> {
    counts.reads += 1;
    return calls.run("read", { sessionId }, () => store.get(sessionId));
  }

  async function readLiving(sessionId: string): Promise<SessionKeys> {
    const session = await read(sessionId);
    if (session.shredded) throw shreddedError(sessionId, undefined);
    return session;
  }

  function unwrap(sessionId: string, wrapped: WrappedKey): Promise<SecretKey> {
    const known = keys.get(sessionId, wrapped.id);
    if (known !== undefined) return Promise.resolve(known);
    const slot = `${wrapped.id}:${wrapped.wrapperId.length}:${wrapped.wrapperId}${sessionId}`;
    return unwrapping(slot, () =>
      watch.during(sessionId, async (isUnchanged) => {
        const key = await dataKeys.open(sessionId, wrapped);
        if (isUnchanged()) keys.set(sessionId, key.id, key);
        return key;
      }),
    );
  }

  /** Nothing is sealed with a key before it is stored. */
  function add(sessionId: string): Promise<SecretKey> {
    return watch.during(sessionId, async (isUnchanged) => {
      const { key, wrapped } = await dataKeys.create(sessionId);
      const place = { sessionId, keyId: key.id };
      if (!(await calls.run("add", place, () => store.add(sessionId, wrapped)))) {
        await readLiving(sessionId);
        throw keyError("RNG_FAULT", sessionId, key.id, "the random source made a key twice");
      }
      if (isUnchanged()) keys.set(sessionId, key.id, key);
      return key;
    });
  }

  function forget(sessionId: string): void {
    watch.changed(sessionId);
    keys.drop(sessionId);
    newest.drop(sessionId);
  }

  /**
   * Forgets before, so that nothing new begins with what is known, and after, for what began
   * meanwhile.
   */
  async function forgetAround(
    action: "shred" | "revive",
    sessionId: string,
    work: () => Promise<void>,
  ): Promise<void> {
    requireOpen();
    requireSessionId(sessionId);
    forget(sessionId);
    try {
      await calls.run(action, { sessionId }, work);
    } finally {
      forget(sessionId);
    }
  }

  const close = (): Promise<void> => {
    closing ??= (async () => {
      calls.close();
      keys.clear();
      newest.clear();
      await store.close();
    })();
    return closing;
  };

  const source: SessionKeySource = {
    current,
    find,

    async renew(sessionId) {
      requireOpen();
      requireSessionId(sessionId);
      const key = await add(sessionId);
      // Whoever reads the store right now must not go on with the key before.
      watch.changed(sessionId);
      begun.set(sessionId, key.id);
      newest.set(sessionId, "", key.id);
      return key.id;
    },

    async rewrap(sessionId, rewrapOptions = {}) {
      requireOpen();
      if (sessionId !== undefined) requireSessionId(sessionId);
      return rewrapSessions({ store, calls, dataKeys }, sessionId, rewrapOptions.signal);
    },

    shred: (sessionId) => forgetAround("shred", sessionId, () => store.shred(sessionId)),
    revive: (sessionId) => forgetAround("revive", sessionId, () => store.revive(sessionId)),
    stats: () => ({ ...counts, ...dataKeys.counts(), cached: keys.size() }),
    close,
    [Symbol.asyncDispose]: close,
  };
  return labelled(source, () => `SessionKeySource ${wrapper.id}`);
}

function isNegative(error: unknown): boolean {
  return isCheckpointError(error, "KEY_UNKNOWN") || isCheckpointError(error, "KEY_SHREDDED");
}

function shreddedError(sessionId: string, keyId: string | undefined): CheckpointError {
  return keyError("KEY_SHREDDED", sessionId, keyId, "the session's keys were shredded");
}
