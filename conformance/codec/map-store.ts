import {
  limits,
  matchesBase,
  newGeneration,
  pageSessions,
  type LogHead,
  type RecordStore,
  type StoredRecord,
} from "../../src/index.ts";

interface Log {
  readonly generation: string;
  readonly records: readonly StoredRecord[];
  readonly mtime: number;
}

/** A store in memory that shows what it holds. */
export interface MapStore {
  /** Opened by several checkpointers at once, of which none closes it. */
  readonly store: RecordStore;
  /** The records of a session as they are stored. */
  records(sessionId: string): readonly StoredRecord[];
  /** Everything as text, to see whether it changed. */
  content(): string;
}

/** The simplest store that a codec can work in. */
export function createMapStore(): MapStore {
  const logs = new Map<string, Log>();
  const headOf = (log: Log | undefined): LogHead | null =>
    log === undefined
      ? null
      : { seq: log.records.length, generation: log.generation, tail: log.records.at(-1) ?? null };

  const store: RecordStore = {
    capabilities: {
      concurrency: "process",
      durability: "none",
      readIsolation: "snapshot",
      clock: "local",
      limits,
      truncate: true,
      // Keys are the engine's business and no codec's.
      idempotency: false,
    },
    head: async (sessionId) => headOf(logs.get(sessionId)),
    async commit(sessionId, { base, keep = Infinity, batches, mtime }) {
      const log = logs.get(sessionId);
      if (!matchesBase(headOf(log), base)) return { conflict: headOf(log) };
      const kept = log?.records.slice(0, keep) ?? [];
      const cuts = log !== undefined && kept.length < log.records.length;
      const added = batches.flatMap(({ records }) => records);
      if (added.length === 0 && !cuts) return { head: headOf(log) };
      const changed: Log = {
        generation: log === undefined || cuts ? newGeneration() : log.generation,
        records: [
          ...kept,
          ...added.map(({ ts, payload }, index) => ({
            seq: kept.length + index + 1,
            ts,
            payload: typeof payload === "string" ? payload : Uint8Array.from(payload),
          })),
        ],
        mtime,
      };
      logs.set(sessionId, changed);
      return { head: headOf(changed) };
    },
    async *read(sessionId, { sinceSeq, untilSeq, limit, reverse }) {
      const records = logs.get(sessionId)?.records ?? [];
      const inside = records.filter(({ seq }) => seq > sinceSeq && seq <= untilSeq);
      yield (reverse ? inside.reverse() : inside).slice(0, limit);
    },
    async list(page) {
      const sessions = [...logs].map(([id, { mtime, records }]) => ({
        id,
        mtime,
        head: records.length,
      }));
      return pageSessions(sessions, page);
    },
    async delete(sessionId) {
      logs.delete(sessionId);
    },
    close: async () => undefined,
  };
  return {
    store,
    records: (sessionId) => logs.get(sessionId)?.records ?? [],
    content: () => JSON.stringify([...logs]),
  };
}
