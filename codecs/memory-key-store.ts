import {
  CheckpointError,
  requireSessionId,
  type SessionKeyStore,
  type WrappedKey,
} from "../src/index.ts";
import { labelled } from "./labelled.ts";

/**
 * Wrapped keys in memory, gone with the process, and every log sealed with them with it: for tests
 * and logs in memory. Two sources may share one only as long as neither is closed.
 */
export function memoryKeyStore(): SessionKeyStore {
  /** null is a tombstone. */
  const sessions = new Map<string, readonly WrappedKey[] | null>();
  let closed = false;

  function keysOf(sessionId: string): readonly WrappedKey[] | null {
    if (closed) throw new CheckpointError("CLOSED", "Cannot use the key store: it was closed");
    requireSessionId(sessionId);
    const keys = sessions.get(sessionId);
    return keys === undefined ? [] : keys;
  }

  const store: SessionKeyStore = {
    async get(sessionId) {
      const keys = keysOf(sessionId);
      return { shredded: keys === null, keys: (keys ?? []).map(copy) };
    },

    async add(sessionId, key) {
      const keys = keysOf(sessionId);
      if (keys === null || keys.some(({ id }) => id === key.id)) return false;
      sessions.set(sessionId, [...keys, copy(key)]);
      return true;
    },

    async replace(sessionId, replacements) {
      const keys = keysOf(sessionId);
      if (keys === null) return false;
      const byId = new Map(replacements.map((key) => [key.id, key]));
      if (keys.length === 0) return true;
      sessions.set(
        sessionId,
        keys.map((key) => copy(byId.get(key.id) ?? key)),
      );
      return true;
    },

    async shred(sessionId) {
      for (const { wrapped } of keysOf(sessionId) ?? []) wrapped.fill(0);
      sessions.set(sessionId, null);
    },

    async revive(sessionId) {
      if (keysOf(sessionId) === null) sessions.delete(sessionId);
    },

    async *list() {
      keysOf("any");
      const sessionIds = Array.from(sessions.keys());
      for (const sessionId of sessionIds) yield sessionId;
    },

    async close() {
      closed = true;
      sessions.clear();
    },
  };
  return labelled(store, () => "SessionKeyStore in memory");
}

function copy({ id, wrapperId, wrapped, created }: WrappedKey): WrappedKey {
  return { id, wrapperId, wrapped: new Uint8Array(wrapped), created };
}
