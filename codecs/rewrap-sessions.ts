import {
  CheckpointError,
  isCheckpointError,
  type SessionKeyStore,
  type WrappedKey,
} from "../src/index.ts";
import type { DataKeys } from "./data-keys.ts";
import type { KeyCalls } from "./key-calls.ts";

/** Options of `rewrap`. */
export interface RewrapOptions {
  /** Stops between two sessions; what is done stays done. */
  readonly signal?: AbortSignal | undefined;
}

/** What `rewrap` has done. */
export interface RewrapReport {
  /** Sessions of which a key was wrapped anew. */
  readonly sessions: number;
  /** Keys that were wrapped anew. */
  readonly keys: number;
}

/** What re-wrapping works with. */
export interface RewrapParts {
  readonly store: SessionKeyStore;
  readonly calls: KeyCalls;
  readonly dataKeys: DataKeys;
}

/**
 * Wraps anew what another wrapper made, session by session.
 *
 * @param only - a session; undefined for all
 */
export async function rewrapSessions(
  parts: RewrapParts,
  only: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RewrapReport> {
  signal?.throwIfAborted();
  const sessionIds = only === undefined ? await listAll(parts) : [only];
  const failures: CheckpointError[] = [];
  let sessions = 0;
  let keys = 0;
  for (const sessionId of sessionIds) {
    signal?.throwIfAborted();
    const count = await rewrapSession(parts, sessionId, failures);
    if (count === 0) continue;
    sessions += 1;
    keys += count;
  }
  const [first] = failures;
  if (first === undefined) return { sessions, keys };
  const left = failures.length === 1 ? "one is left" : `${failures.length} are left`;
  throw new CheckpointError(
    first.code,
    `Cannot re-wrap all keys: ${keys} were re-wrapped and ${left}. ${first.message}`,
  );
}

/** Collected first, so that nothing is held open in the store while it is being changed. */
async function listAll({ store, calls }: RewrapParts): Promise<string[]> {
  const sessionIds: string[] = [];
  const iterator = store.list()[Symbol.asyncIterator]();
  try {
    for (;;) {
      // By hand, so that each step has a deadline and not all of them one.
      const next = await calls.run("list", {}, () => iterator.next());
      if (next.done === true) return sessionIds;
      sessionIds.push(next.value);
    }
  } finally {
    // Not awaited: a store that hangs would hang it, too.
    iterator.return?.().catch(() => undefined);
  }
}

/** One key that nobody can open must not keep all others under a KEK that is to go. */
async function rewrapSession(
  { store, calls, dataKeys }: RewrapParts,
  sessionId: string,
  failures: CheckpointError[],
): Promise<number> {
  const { keys } = await calls.run("read", { sessionId }, () => store.get(sessionId));
  const rewrapped: WrappedKey[] = [];
  for (const key of keys) {
    try {
      const replacement = await dataKeys.rewrap(sessionId, key);
      if (replacement !== null) rewrapped.push(replacement);
    } catch (error) {
      if (!isCheckpointError(error) || error.retryable || error.code === "CLOSED") throw error;
      failures.push(error);
    }
  }
  if (rewrapped.length === 0) return 0;
  const replaced = await calls.run("replace", { sessionId }, () =>
    store.replace(sessionId, rewrapped),
  );
  return replaced ? rewrapped.length : 0;
}
