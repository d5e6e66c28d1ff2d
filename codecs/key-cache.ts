/** How long and how much is kept. */
export interface KeyCacheLimits {
  /** Milliseconds from loading. 0 keeps nothing. */
  readonly maxAgeMs: number;
  /** Entries. */
  readonly maxKeys: number;
  /** Times an entry is handed out before it is loaded again. */
  readonly maxUses: number;
}

/** A map that forgets by age, by number of uses, and what was not used for longest. */
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
  readonly sessionId: string;
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
  const entries = new Map<string, Entry<V>>();
  let swept = now();

  /** The first `slot.length` characters tell the slot from the session, which may hold anything. */
  const nameOf = (sessionId: string, slot: string): string => `${slot.length}:${slot}${sessionId}`;

  function isOld({ wall, steady }: Instant): boolean {
    const current = now();
    // The wall clock goes on while a computer sleeps, and the other one is never set back.
    return current.steady - steady >= maxAgeMs || Math.abs(current.wall - wall) >= maxAgeMs;
  }

  /** Without a timer, what nobody asks for any more leaves with the next arrival. */
  function sweep(): void {
    if (!isOld(swept)) return;
    swept = now();
    for (const [name, { loaded }] of entries) if (isOld(loaded)) entries.delete(name);
  }

  return {
    get(sessionId, slot) {
      const name = nameOf(sessionId, slot);
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      entries.delete(name);
      if (entry.usesLeft <= 0 || isOld(entry.loaded)) return undefined;
      entry.usesLeft -= 1;
      entries.set(name, entry);
      return entry.value;
    },

    set(sessionId, slot, value) {
      if (maxAgeMs === 0) return;
      sweep();
      const name = nameOf(sessionId, slot);
      entries.delete(name);
      // Whoever loaded it has had the first use.
      entries.set(name, { sessionId, value, loaded: now(), usesLeft: maxUses - 1 });
      if (entries.size <= maxKeys) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        break;
      }
    },

    drop(sessionId) {
      for (const [name, entry] of entries) if (entry.sessionId === sessionId) entries.delete(name);
    },

    clear: () => entries.clear(),
    size: () => entries.size,
  };
}

function now(): Instant {
  return { wall: Date.now(), steady: performance.now() };
}
