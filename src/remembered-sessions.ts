import { limits } from "./limits.ts";

/** Something known about recently changed sessions; hints only, any of them may be stale. */
export interface RememberedSessions<T> {
  /** undefined: not known. */
  get(sessionId: string): T | undefined;
  set(sessionId: string, value: T): void;
  forget(sessionId: string): void;
}

/** Remembers a bounded number of sessions, the most recently set ones. */
export function createRememberedSessions<T>(): RememberedSessions<T> {
  const sessions = new Map<string, T>();
  return {
    get: (sessionId) => sessions.get(sessionId),
    set(sessionId, value) {
      sessions.delete(sessionId);
      sessions.set(sessionId, value);
      if (sessions.size <= limits.rememberedSessions) return;
      for (const oldest of sessions.keys()) {
        sessions.delete(oldest);
        break;
      }
    },
    forget: (sessionId) => void sessions.delete(sessionId),
  };
}
