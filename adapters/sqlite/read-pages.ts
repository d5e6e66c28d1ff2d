import { CorruptLogError, type RecordRange, type StoredRecord } from "../../src/index.ts";
import { retryWhileBusy } from "./back-off.ts";
import type { Connection } from "./connection.ts";
import type { LazyConnection } from "./lazy-connection.ts";
import { readTransaction } from "./read-transaction.ts";
import { findSession } from "./session-row.ts";
import { isBusy, isCorrupt, logChanged, wrapError } from "./sqlite-errors.ts";
import type { RecordTuple, Statements } from "./statements.ts";
import { missingRecord, toStoredRecord } from "./stored-record.ts";

/** What is left to read of one history of a session; seqs above `since` up to `until`. */
interface View {
  readonly id: number;
  readonly generation: string;
  readonly since: number;
  readonly until: number;
}

interface Page {
  readonly records: readonly StoredRecord[];
  /** What stands where the next record should be. */
  readonly damage: Error | undefined;
}

/** A page ends with this many records, or with as much in large ones; so it stays below 4 MiB. */
const pageRecords = 256;
const pageSize = 1024 * 1024;

/** Bytes of the largest payload that is read together with others. */
const smallPayload = 8 * 1024;

/**
 * Reads pages by key. Between two pages no statement and no transaction is open, so a slow reader
 * neither occupies the connection nor keeps the write-ahead log from starting over; each page makes
 * sure that the history is still the same.
 */
export async function* readPages(
  lazy: LazyConnection,
  busyTimeoutMs: number,
  sessionId: string,
  range: RecordRange,
): AsyncGenerator<readonly StoredRecord[], void, void> {
  let view = await look((connection) => fixView(connection, sessionId, range));
  while (view !== null && view.since < view.until) {
    const rest: View = view;
    const page = await look((connection) =>
      readTransaction(connection, () => readPage(connection, sessionId, rest, range.reverse)),
    );
    if (page === null) throw logChanged(sessionId);
    const { records, damage } = page;
    if (records.length > 0) yield records;
    if (damage !== undefined) throw damage;
    view = range.reverse
      ? { ...rest, until: rest.until - records.length }
      : { ...rest, since: rest.since + records.length };
  }

  async function look<T>(work: (connection: Connection) => T): Promise<T | null> {
    const connection = await lazy.openExisting();
    if (connection === null) return null;
    try {
      return await retryWhileBusy(() => work(connection), busyTimeoutMs);
    } catch (error) {
      throw wrapError("read", error, sessionId);
    }
  }
}

/** Turns a range into plain bounds; seqs are dense, so a limit is a bound too. */
function fixView(connection: Connection, sessionId: string, range: RecordRange): View | null {
  const row = findSession(connection.statements, sessionId);
  const { generation, limit, reverse, sinceSeq } = range;
  if (generation !== undefined && generation !== (row?.generation ?? "")) {
    throw logChanged(sessionId);
  }
  if (row === null) return null;
  const until = Math.min(range.untilSeq, row.seq);
  const bounds = reverse
    ? { since: Math.max(sinceSeq, until - limit), until }
    : { since: sinceSeq, until: Math.min(until, sinceSeq + limit) };
  return { id: row.id, generation: row.generation, ...bounds };
}

/** Small records come all in one call, which is the fast way; large ones one by one. */
function readPage(
  { statements }: Connection,
  sessionId: string,
  view: View,
  reverse: boolean,
): Page {
  const row = findSession(statements, sessionId);
  if (row?.id !== view.id || row.generation !== view.generation) throw logChanged(sessionId);
  const { since, until } = view;
  const count = Math.min(until - since, pageRecords);
  const small = selectSmall(statements, view, count, reverse);
  const records: StoredRecord[] = [];
  let taken = 0;
  let size = 0;
  let seq = reverse ? until : since + 1;
  try {
    while (records.length < count && size < pageSize) {
      const isSmall = small[taken]?.[0] === seq;
      const tuple = isSmall ? small[taken] : statements.record.get(view.id, seq);
      if (tuple === undefined) return { records, damage: missingRecord(sessionId, seq) };
      const record = toStoredRecord(sessionId, tuple);
      records.push(record);
      if (isSmall) taken += 1;
      else size += record.payload.length;
      seq += reverse ? -1 : 1;
    }
  } catch (error) {
    if (isBusy(error)) throw error;
    // What came before the damage is good and is delivered first.
    return { records, damage: damageAt(sessionId, seq, error) };
  }
  return { records, damage: undefined };
}

/** None when damage is in the way: then reading one by one gets as far as it can. */
function selectSmall(
  statements: Statements,
  { id, since, until }: View,
  count: number,
  reverse: boolean,
): RecordTuple[] {
  try {
    return reverse
      ? statements.backward.all(id, until - count, id, until, smallPayload)
      : statements.forward.all(id, since, id, since + count, smallPayload);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return [];
  }
}

function damageAt(sessionId: string, seq: number, error: unknown): Error {
  if (!(error instanceof Error)) throw error;
  if (!isCorrupt(error)) return error;
  return new CorruptLogError(sessionId, seq, null, error.message, { cause: error });
}
