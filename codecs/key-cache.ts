/** How long and how much is kept. */
export interface KeyCacheLimits {
  /** Milliseconds from loading. 0 keeps nothing. */
  readonly maxAgeMs: number;
  /** Entries. */
  readonly maxKeys: number;
  /** Times an entry is handed out before it is loaded again. */
  readonly maxUses: number;
}

/**
 * Values of sessions that are forgotten by age and by number of uses, and beyond the limit those of
 * the session that was not used for longest.
 */
export interface KeyCache<V> {
  /** Counts as a use. */
  get(sessionId: string, slot: string): V | undefined;
  set(sessionId: string, slot: string, value: V): void;
  /** Forgets all of a session. */
  drop(sessionId: string): void;
  clear(): void;
  size(): number;
}

interface Entry<V> {
  readonly value: V;
  readonly loaded: Instant;
  usesLeft: number;
}

interface Instant {
  readonly wall: number;
  readonly steady: number;
}

/** An empty cache. */
export function createKeyCache<V>(limits: KeyCacheLimits): KeyCache<V> {
  const { maxAgeMs, maxKeys, maxUses } = limits;
  // In order of use; nested, since joining session and slot for each look costs more than the look.
  const sessions = new Map<string, Map<string, Entry<V>>>();
  let size = 0;
  let lastUsed: string | undefined;
  let swept = now();

  function isOld({ wall, steady }: Instant): boolean {
    const current = now();
    // The wall clock goes on while a computer sleeps, and the other one is never set back.
    return current.steady - steady >= maxAgeMs || Math.abs(current.wall - wall) >= maxAgeMs;
  }

  function touch(sessionId: string, slots: Map<string, Entry<V>>): void {
    if (sessionId === lastUsed) return;
    sessions.delete(sessionId);
    sessions.set(sessionId, slots);
    lastUsed = sessionId;
  }

  function remove(sessionId: string, slots: Map<string, Entry<V>>, slot: string): void {
    if (slots.delete(slot)) size -= 1;
    if (slots.size === 0) drop(sessionId);
  }

  function drop(sessionId: string): void {
    size -= sessions.get(sessionId)?.size ?? 0;
    sessions.delete(sessionId);
    if (lastUsed === sessionId) lastUsed = undefined;
  }

  /** Without a timer, what nobody asks for any more leaves with the next arrival. */
  function sweep(): void {
    if (!isOld(swept)) return;
    swept = now();
    for (const [sessionId, slots] of sessions) {
      for (const [slot, { loaded }] of slots) if (isOld(loaded)) remove(sessionId, slots, slot);
    }
  }

  function makeRoom(): void {
    for (const [sessionId, slots] of sessions) {
      for (const slot of slots.keys()) {
        if (size <= maxKeys) return;
        remove(sessionId, slots, slot);
      }
    }
  }

  return {
    get(sessionId, slot) {
      const slots = sessions.get(sessionId);
      const entry = slots?.get(slot);
      if (slots === undefined || entry === undefined) return undefined;
      if (entry.usesLeft <= 0 || isOld(entry.loaded)) {
        remove(sessionId, slots, slot);
        return undefined;
      }
      entry.usesLeft -= 1;
      touch(sessionId, slots);
      return entry.value;
    },

    set(sessionId, slot, value) {
      if (maxAgeMs === 0) return;
      sweep();
      const slots = sessions.get(sessionId) ?? new Map<string, Entry<V>>();
      if (!slots.delete(slot)) size += 1;
      // Whoever loaded it has had the first use.
      slots.set(slot, { value, loaded: now(), usesLeft: maxUses - 1 });
      touch(sessionId, slots);
      makeRoom();
    },

    drop,
    clear() {
      sessions.clear();
      size = 0;
      lastUsed = undefined;
    },
    size: () => size,
  };
}

function now(): Instant {
  return { wall: Date.now(), steady: performance.now() };
}
