/** Tells a load that takes its time that what it has read has become untrue. */
export interface ChangeWatch {
  /** @param work - gets a function that says whether the session has not changed since */
  during<T>(sessionId: string, work: (isUnchanged: () => boolean) => Promise<T>): Promise<T>;
  /** Tells all that are loading something of this session. */
  changed(sessionId: string): void;
}

/** A watch over any number of sessions, which remembers only those that are being loaded. */
export function createChangeWatch(): ChangeWatch {
  const loads = new Set<{ readonly sessionId: string; changed: boolean }>();
  return {
    async during(sessionId, work) {
      const load = { sessionId, changed: false };
      loads.add(load);
      try {
        return await work(() => !load.changed);
      } finally {
        loads.delete(load);
      }
    },
    changed(sessionId) {
      for (const load of loads) if (load.sessionId === sessionId) load.changed = true;
    },
  };
}
