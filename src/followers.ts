import type { Waker } from "./waker.ts";

/** Who follows which session on this handle, so that its own changes wake them at once. */
export interface Followers {
  add(sessionId: string, waker: Waker): void;
  remove(sessionId: string, waker: Waker): void;
  wake(sessionId: string): void;
  wakeAll(): void;
}

/** An empty set of followers. */
export function createFollowers(): Followers {
  const sessions = new Map<string, Set<Waker>>();
  return {
    add(sessionId, waker) {
      const wakers = sessions.get(sessionId) ?? new Set();
      sessions.set(sessionId, wakers.add(waker));
    },
    remove(sessionId, waker) {
      const wakers = sessions.get(sessionId);
      wakers?.delete(waker);
      if (wakers?.size === 0) sessions.delete(sessionId);
    },
    wake(sessionId) {
      for (const waker of sessions.get(sessionId) ?? []) waker.wake();
    },
    wakeAll() {
      for (const wakers of sessions.values()) for (const waker of wakers) waker.wake();
    },
  };
}
