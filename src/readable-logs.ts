import { isCheckpointError } from "./errors.ts";
import { readPages, type ReadContext } from "./read-events.ts";
import type { LogHead } from "./record-store.ts";
import { createRememberedSessions } from "./remembered-sessions.ts";

/**
 * Logs whose last record this handle was able to read. Appending behind one that it cannot read,
 * such as a sealed one without a codec or one of another key, would cut the log in two for everybody.
 */
export interface ReadableLogs {
  /** Whether the session was looked at, in whatever generation. */
  isKnown(sessionId: string): boolean;
  /**
   * Reads the last record of a log, once per generation, in which a log only grows.
   *
   * @returns false when the log is not what it was at `head` any more
   * @throws CodecError and whatever else a read throws
   */
  requireReadable(sessionId: string, head: LogHead | null): Promise<boolean>;
  /** Takes the log for readable after an append of ours to one that was, or that made it. */
  appended(sessionId: string, head: LogHead | null): void;
}

/** Remembers nothing yet. */
export function createReadableLogs(context: ReadContext): ReadableLogs {
  /** Generations; "" for no log. */
  const readable = createRememberedSessions<string>();
  return {
    isKnown: (sessionId) => readable.get(sessionId) !== undefined,
    async requireReadable(sessionId, head) {
      const { seq = 0, generation = "" } = head ?? {};
      if (readable.get(sessionId) === generation) return true;
      const range = { sinceSeq: seq - 1, untilSeq: seq, limit: 1, reverse: false, generation };
      try {
        if (seq > 0) {
          for await (const _ of readPages(context, sessionId, range, undefined)) continue;
        }
        readable.set(sessionId, generation);
        return true;
      } catch (error) {
        // Replaced between the two looks; an append without an expectation never conflicts.
        if (isCheckpointError(error, "LOG_CHANGED")) return false;
        throw error;
      }
    },
    appended: (sessionId, head) => readable.set(sessionId, head?.generation ?? ""),
  };
}
