import type { SessionKeyStore } from "../src/index.ts";
import type { KeyCacheLimits } from "./key-cache.ts";
import type { KeyFailure } from "./key-calls.ts";
import type { KeyWrapper } from "./key-wrapper.ts";

/** Options of `sessionKeys`. */
export interface SessionKeysOptions {
  /** Where wrapped keys are kept: not in the log's place, nor in its backups. */
  readonly store: SessionKeyStore;
  /** Wraps new keys and opens its own. */
  readonly wrapper: KeyWrapper;
  /** Open what they wrapped; wrap nothing. Needed until `rewrap()` has gone through. */
  readonly wrappers?: readonly KeyWrapper[] | undefined;
  /** Part of the context of every wrapped key; separates tenants that share a KEK. Default "". */
  readonly namespace?: string | undefined;
  /** What may be kept in memory, unwrapped. */
  readonly cache?: SessionKeyCacheOptions | undefined;
  /** Milliseconds that one call to the store or a wrapper may take. 1 to 2^31-1. Default 15,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Gets what the store or a wrapper threw, for your own log. Errors of the kit never quote it,
   * since nobody knows what a stranger's error holds.
   */
  readonly onFailure?: ((failure: KeyFailure) => void) | undefined;
}

/** Limits of the keys in memory. A key has 32 bytes, so that counting keys bounds bytes as well. */
export interface SessionKeyCacheOptions {
  /**
   * Milliseconds after which a key is unwrapped again and a session looked up again. It is also how
   * long another process may go on after a `shred`. 0 asks every time. Default 300,000.
   */
  readonly maxAgeMs?: number | undefined;
  /** Keys at a time; the one that was not used for longest leaves first. Default 1,024. */
  readonly maxKeys?: number | undefined;
  /** Records for which a key is used before it is unwrapped again. Default: any number. */
  readonly maxUses?: number | undefined;
}

/** {@link SessionKeysOptions}, checked and complete. */
export interface ResolvedSessionKeysOptions {
  readonly store: SessionKeyStore;
  readonly wrapper: KeyWrapper;
  /** Who opens what, by the id that is stored beside a key. */
  readonly openers: ReadonlyMap<string, KeyWrapper>;
  readonly namespace: string;
  readonly cache: KeyCacheLimits;
  readonly timeoutMs: number;
  readonly onFailure: ((failure: KeyFailure) => void) | undefined;
}

/** A day: keys that are kept for longer might as well be configured. */
const longestAgeMs = 24 * 60 * 60 * 1_000;
const longestTimeoutMs = 0x7fffffff;
const mostKeys = 1_000_000;

/** Fills in defaults and checks bounds. */
export function resolveSessionKeysOptions(options: SessionKeysOptions): ResolvedSessionKeysOptions {
  const { store, wrapper, wrappers = [], namespace = "", cache = {}, onFailure } = options;
  const { timeoutMs = 15_000 } = options;
  const { maxAgeMs = 300_000, maxKeys = 1_024, maxUses = Infinity } = cache;
  if (typeof (Object(store) as Partial<SessionKeyStore>).get !== "function") {
    throw new TypeError("store: wanted a key store, met something else");
  }
  if (typeof namespace !== "string" || !namespace.isWellFormed()) {
    throw new TypeError("namespace: wanted a well-formed string");
  }
  if (onFailure !== undefined && typeof onFailure !== "function") {
    throw new TypeError("onFailure: wanted a function");
  }
  requireNumber("cache.maxAgeMs", maxAgeMs, 0, longestAgeMs);
  requireNumber("cache.maxKeys", maxKeys, 1, mostKeys);
  if (maxUses !== Infinity) requireNumber("cache.maxUses", maxUses, 1, Number.MAX_SAFE_INTEGER);
  requireNumber("timeoutMs", timeoutMs, 1, longestTimeoutMs);
  return {
    store,
    wrapper,
    openers: indexOpeners([wrapper, ...wrappers]),
    namespace,
    cache: { maxAgeMs, maxKeys, maxUses },
    timeoutMs,
    onFailure,
  };
}

/** A wrapper comes before one that also opens its keys. */
function indexOpeners(wrappers: readonly KeyWrapper[]): Map<string, KeyWrapper> {
  const openers = new Map<string, KeyWrapper>();
  for (const wrapper of wrappers) {
    const { id, wrap, unwrap } = Object(wrapper) as Partial<KeyWrapper>;
    if (typeof id !== "string" || typeof wrap !== "function" || typeof unwrap !== "function") {
      throw new TypeError("wrapper: wanted { id, wrap, unwrap }, met something else");
    }
    if (id === "" || !id.isWellFormed())
      throw new TypeError("wrapper: wanted an id with characters");
    if (openers.has(id)) throw new TypeError("wrappers: two of them have the same id");
    openers.set(id, wrapper);
  }
  for (const wrapper of wrappers) {
    for (const id of wrapper.opens ?? []) if (!openers.has(id)) openers.set(id, wrapper);
  }
  return openers;
}

function requireNumber(name: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return;
  throw new RangeError(`${name}: wanted a whole number from ${least} to ${most}`);
}
