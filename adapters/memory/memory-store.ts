import {
  CheckpointError,
  limits,
  matchesBase,
  newGeneration,
  pageSessions,
  type Change,
  type LogHead,
  type NewRecord,
  type Outcome,
  type RecordRange,
  type RecordStore,
  type StoredRecord,
} from "../../src/index.ts";

/** Records in one page of `read`; small enough that a slow consumer holds little. */
const pageSize = 256;

/** A session. Replaced as a whole by truncate and rewrite, so that running reads keep their view. */
interface Log {
  readonly generation: string;
  readonly records: StoredRecord[];
  /** First and last seq of every keyed batch. */
  readonly keys: Map<string, { from: number; to: number }>;
  mtime: number;
}

/**
 * Strings and bytes in arrays, never the caller's objects. Every change is one synchronous step, so
 * nothing can see half of it.
 */
export function memoryStore(): RecordStore {
  const logs = new Map<string, Log>();

  return {
    capabilities,

    async head(sessionId) {
      return headOf(logs.get(sessionId));
    },

    async commit(sessionId, change) {
      const log = logs.get(sessionId);
      const refusal = refuse(log, change);
      if (refusal !== null) return refusal;
      const kept = log !== undefined && cuts(log, change) ? cut(log, change.keep ?? 0) : log;
      if (change.batches.length === 0) {
        if (kept !== log && kept !== undefined) {
          kept.mtime = change.mtime;
          logs.set(sessionId, kept);
        }
        return { head: headOf(kept) };
      }
      const target = kept ?? createLog();
      for (const batch of change.batches) appendBatch(target, batch.records, batch.key);
      target.mtime = change.mtime;
      logs.set(sessionId, target);
      return { head: headOf(target) };
    },

    async *read(sessionId, range) {
      const log = logs.get(sessionId);
      if (log === undefined) return;
      if (range.generation !== undefined && range.generation !== log.generation) {
        throw new CheckpointError("LOG_CHANGED", "Cannot read: the log was replaced");
      }
      yield* pagesOf(log.records, range);
    },

    async list(page) {
      const sessions = [];
      for (const [id, { mtime, records }] of logs) {
        sessions.push({ id, mtime, head: records.length });
      }
      return pageSessions(sessions, page);
    },

    async delete(sessionId) {
      logs.delete(sessionId);
    },

    async close() {
      logs.clear();
    },

    async rewrite(sessionId, base, records, mtime) {
      const log = createLog();
      for await (const record of records) {
        const known = record.key === undefined ? undefined : log.keys.get(record.key);
        appendBatch(log, [record], record.key);
        // A batch of several records comes as several with one key.
        if (known !== undefined) known.to = log.records.length;
        if (known !== undefined && record.key !== undefined) log.keys.set(record.key, known);
      }
      // Checked after the last await, in the same step as the swap.
      const current = logs.get(sessionId);
      if (!matchesBase(headOf(current), base)) return { conflict: headOf(current) };
      log.mtime = mtime;
      logs.set(sessionId, log);
      return { head: headOf(log) };
    },
  };
}

const capabilities: RecordStore["capabilities"] = Object.freeze({
  concurrency: "instance",
  durability: "none",
  readIsolation: "snapshot",
  clock: "local",
  limits: Object.freeze({
    maxEventBytes: limits.maxEventBytes,
    maxBatchEvents: limits.maxBatchEvents,
    maxSessionIdBytes: limits.maxSessionIdBytes,
  }),
  truncate: true,
  idempotency: true,
});

function createLog(): Log {
  return { generation: newGeneration(), records: [], keys: new Map(), mtime: 0 };
}

function headOf(log: Log | undefined): LogHead | null {
  if (log === undefined) return null;
  const { generation, records } = log;
  return { seq: records.length, generation, tail: records.at(-1) ?? null };
}

function refuse(log: Log | undefined, change: Change): Outcome | null {
  for (const { key } of change.batches) {
    const known = key === undefined ? undefined : log?.keys.get(key);
    if (key !== undefined && known !== undefined) return { duplicate: { key, ...known } };
  }
  if (change.base === null) return null;
  const head = headOf(log);
  return matchesBase(head, change.base) ? null : { conflict: head };
}

function cuts(log: Log, { keep }: Change): boolean {
  return keep !== undefined && keep < log.records.length;
}

function cut(log: Log, keep: number): Log {
  const keys = new Map([...log.keys].filter(([, { to }]) => to <= keep));
  const records = log.records.slice(0, keep).map((record) => {
    if (record.key === undefined || keys.has(record.key)) return record;
    const { key: _dropped, ...unkeyed } = record;
    return unkeyed;
  });
  return { generation: newGeneration(), records, keys, mtime: log.mtime };
}

function appendBatch(log: Log, records: readonly NewRecord[], key: string | undefined): void {
  const from = log.records.length + 1;
  for (const { ts, payload } of records) {
    // Bytes belong to whoever made them; a string cannot change.
    const own = typeof payload === "string" ? payload : new Uint8Array(payload);
    const record = { seq: log.records.length + 1, ts, payload: own };
    log.records.push(key === undefined ? record : { ...record, key });
  }
  if (key !== undefined) log.keys.set(key, { from, to: log.records.length });
}

function* pagesOf(
  records: readonly StoredRecord[],
  range: RecordRange,
): Generator<readonly StoredRecord[], void, void> {
  const low = range.sinceSeq;
  const high = Math.min(range.untilSeq, records.length);
  const count = Math.min(range.limit, Math.max(0, high - low));
  for (let done = 0; done < count; done += pageSize) {
    const size = Math.min(pageSize, count - done);
    if (range.reverse) yield records.slice(high - done - size, high - done).reverse();
    else yield records.slice(low + done, low + done + size);
  }
}
