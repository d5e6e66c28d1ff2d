// What tests of stores say to them: changes, ranges, and a read of everything.

import type { Batch, Change, RecordRange, RecordStore, StoredRecord } from "../src/index.ts";

let lastMtime = Date.now();

/** A change that appends one batch. */
export function append(
  payloads: readonly (string | Uint8Array)[],
  change?: Partial<Change>,
): Change {
  lastMtime = Math.round(lastMtime * 1_000 + 1) / 1_000;
  const ts = new Date(lastMtime).toISOString();
  const batch: Batch = { records: payloads.map((payload) => ({ ts, payload })) };
  return { base: null, batches: [batch], mtime: lastMtime, ...change };
}

/** A change that appends one batch under a key. */
export function appendKeyed(key: string, payloads: readonly string[]): Change {
  const change = append(payloads);
  return { ...change, batches: change.batches.map((batch) => ({ ...batch, key })) };
}

/** A change that drops all records above a seq. */
export function keep(seq: number, change?: Partial<Change>): Change {
  return append([], { keep: seq, batches: [], ...change });
}

/** A range of everything, or less. */
export function range(part?: Partial<RecordRange>): RecordRange {
  const untilSeq = Number.MAX_SAFE_INTEGER;
  return { sinceSeq: 0, untilSeq, limit: Infinity, reverse: false, ...part };
}

/** All records of a range. */
export async function readAll(
  store: RecordStore,
  sessionId: string,
  part?: Partial<RecordRange>,
): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const page of store.read(sessionId, range(part))) records.push(...page);
  return records;
}
