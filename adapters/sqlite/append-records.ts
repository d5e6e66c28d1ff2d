import {
  CheckpointError,
  matchesBase,
  type Change,
  type LogHead,
  type StoredRecord,
} from "../../src/index.ts";
import type { KnownHead } from "./known-heads.ts";
import { largestSeq } from "./schema.ts";
import type { Statements } from "./statements.ts";
import { toMicroseconds, toMilliseconds } from "./stored-record.ts";

/** How many records a change appends. */
export function countRecords({ batches }: Change): number {
  let records = 0;
  for (const batch of batches) records += batch.records.length;
  return records;
}

/** Whether a change only adds, and adds something, without a key to look up first. */
export function isPlainAppend(change: Change): boolean {
  const { keep, batches } = change;
  if (keep !== undefined || batches.some(({ key }) => key !== undefined)) return false;
  return countRecords(change) > 0;
}

/**
 * Inserts the records of a change behind `target`. The last one carries the change's mtime.
 *
 * @param skip - how many of the first ones are there already
 * @returns the new head
 */
export function appendRecords(
  statements: Statements,
  target: KnownHead,
  change: Change,
  skip = 0,
): LogHead {
  const { id, generation } = target;
  const end = target.seq + countRecords(change);
  if (end > largestSeq) throw tooLong(end);
  const stamp = toMicroseconds(change.mtime);
  let seq = target.seq;
  let tail: StoredRecord | null = null;
  for (const { key, records } of change.batches) {
    for (const { ts, payload } of records) {
      seq += 1;
      if (seq === end) tail = key === undefined ? { seq, ts, payload } : { seq, ts, key, payload };
      if (seq <= target.seq + skip) continue;
      const mtime = seq === end ? stamp : null;
      statements.insertRecord.run(id, seq, toMilliseconds(ts), mtime, key ?? null, payload);
    }
  }
  return { seq, generation, tail };
}

/**
 * Inserts the records of a plain append behind a head that this handle remembers. Its first
 * statement compares and inserts in one step, so that no lookup goes before it and one record needs
 * no transaction around it. Within one generation a log only grows, so the seq after a committed
 * head is either free or taken by somebody else.
 *
 * @returns the new head, or null when the log has another head or the change insists on one; then
 * nothing happened
 */
export function appendBehind(
  statements: Statements,
  sessionId: string,
  known: KnownHead,
  change: Change,
): LogHead | null {
  const { id, generation, seq } = known;
  if (!matchesBase({ seq, generation, tail: null }, change.base)) return null;
  const first = change.batches.find(({ records }) => records.length > 0)?.records[0];
  if (first === undefined || seq >= largestSeq) return null;
  const { ts, payload } = first;
  const mtime = countRecords(change) === 1 ? toMicroseconds(change.mtime) : null;
  const milliseconds = toMilliseconds(ts);
  const place = [id, sessionId, generation] as const;
  const { changes } = statements.insertBehind.run(seq + 1, milliseconds, mtime, payload, ...place);
  return changes === 0 ? null : appendRecords(statements, known, change, 1);
}

function tooLong(seq: number): CheckpointError {
  const detail = `seq ${seq} is over ${largestSeq}`;
  return new CheckpointError(
    "LIMIT_EXCEEDED",
    `Cannot append to a session of this length: ${detail}`,
  );
}
