/** Where a session's log ended after the last change of this handle. */
export interface KnownHead {
  /** Row id in `sessions`. */
  readonly id: number;
  readonly generation: string;
  readonly seq: number;
}

/** Heads that this handle remembers; hints, checked again inside the statement that uses them. */
export interface KnownHeads {
  get(sessionId: string): KnownHead | undefined;
  set(sessionId: string, head: KnownHead): void;
  forget(sessionId: string): void;
}

/** More sessions than one process writes to at a time; a forgotten one costs a lookup. */
const capacity = 1_024;

/** Remembers the most recently added sessions. */
export function createKnownHeads(): KnownHeads {
  const heads = new Map<string, KnownHead>();
  return {
    get: (sessionId) => heads.get(sessionId),
    set(sessionId, head) {
      heads.set(sessionId, head);
      if (heads.size <= capacity) return;
      for (const oldest of heads.keys()) {
        heads.delete(oldest);
        return;
      }
    },
    forget: (sessionId) => void heads.delete(sessionId),
  };
}
