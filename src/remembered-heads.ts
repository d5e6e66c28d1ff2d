import { limits } from "./limits.ts";
import type { LogHead } from "./record-store.ts";

/** The last known heads of recently changed sessions; hints only, any of them may be stale. */
export interface RememberedHeads {
  /** undefined: not known. null: known to be absent. */
  get(sessionId: string): LogHead | null | undefined;
  set(sessionId: string, head: LogHead | null): void;
  forget(sessionId: string): void;
}

/** Remembers a bounded number of heads, the most recently set ones. */
export function createRememberedHeads(): RememberedHeads {
  const heads = new Map<string, LogHead | null>();
  return {
    get: (sessionId) => heads.get(sessionId),
    set(sessionId, head) {
      heads.delete(sessionId);
      heads.set(sessionId, head);
      if (heads.size <= limits.rememberedHeads) return;
      for (const oldest of heads.keys()) {
        heads.delete(oldest);
        break;
      }
    },
    forget: (sessionId) => void heads.delete(sessionId),
  };
}
