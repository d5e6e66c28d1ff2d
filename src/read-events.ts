import type { Codec } from "./codec.ts";
import { decodeText, parseEvent } from "./decode-record.ts";
import { CheckpointError, CorruptLogError } from "./errors.ts";
import type { StoredEvent } from "./checkpointer.ts";
import type { RecordRange, RecordStore, StoredRecord } from "./record-store.ts";
import type { EventObject } from "./session-event.ts";

/** What reading needs to know of its handle. */
export interface ReadContext {
  readonly store: RecordStore;
  readonly codec: Codec | undefined;
  readonly closed: () => boolean;
}

/** A record with its JSON text, decoded and checked. */
export interface DecodedRecord {
  readonly record: StoredRecord;
  readonly text: string;
}

/** Decoded events of a range, one by one. */
export async function* readEvents<E extends EventObject>(
  context: ReadContext,
  sessionId: string,
  range: RecordRange,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredEvent<E>, void, void> {
  for await (const page of readPages(context, sessionId, range, signal)) {
    for (const { record, text } of page) {
      const { seq, ts } = record;
      // Fails like any other damage; what JSON.parse returns is ours to hand out.
      const event = parseEvent(context.codec, sessionId, seq, text) as E;
      yield { seq, sessionId, parentSeq: seq === 1 ? null : seq - 1, ts, event };
      signal?.throwIfAborted();
    }
  }
}

/** Decoded records of a range, page by page; insists on dense seqs whatever the store says. */
export async function* readPages(
  context: ReadContext,
  sessionId: string,
  range: RecordRange,
  signal: AbortSignal | undefined,
): AsyncGenerator<DecodedRecord[], void, void> {
  signal?.throwIfAborted();
  if (range.limit === 0) return;
  const pages = context.store.read(sessionId, withNeighbour(context, range));
  const decode = range.reverse ? backwards : forwards;
  for await (const page of decode(context, sessionId, range, pages)) {
    signal?.throwIfAborted();
    if (page.length > 0) yield page;
    if (context.closed()) {
      throw new CheckpointError("CLOSED", "Cannot go on reading: the checkpointer was closed");
    }
  }
}

/**
 * A codec may bind a record to the one before it, so the range grows by that record at its lower
 * end; it is read and not delivered.
 */
function withNeighbour(context: ReadContext, range: RecordRange): RecordRange {
  if (context.codec === undefined || range.sinceSeq === 0) {
    return context.codec !== undefined && range.reverse
      ? { ...range, limit: range.limit + 1 }
      : range;
  }
  return { ...range, sinceSeq: range.sinceSeq - 1, limit: range.limit + 1 };
}

async function* forwards(
  context: ReadContext,
  sessionId: string,
  range: RecordRange,
  pages: AsyncIterable<readonly StoredRecord[]>,
): AsyncGenerator<DecodedRecord[], void, void> {
  const { codec } = context;
  let previous: StoredRecord | null = null;
  let next = codec === undefined || range.sinceSeq === 0 ? range.sinceSeq + 1 : range.sinceSeq;
  for await (const page of pages) {
    const decoded: DecodedRecord[] = [];
    try {
      for (const record of page) {
        if (record.seq !== next) throw gap(sessionId, next, record.seq);
        if (record.seq > range.sinceSeq) {
          const text = decodeText(codec, sessionId, record, previous);
          decoded.push({ record, text: typeof text === "string" ? text : await text });
        }
        previous = record;
        next += 1;
      }
    } catch (error) {
      // Everything before the damage is good and is delivered first.
      yield decoded;
      throw error;
    }
    yield decoded;
  }
}

async function* backwards(
  context: ReadContext,
  sessionId: string,
  range: RecordRange,
  pages: AsyncIterable<readonly StoredRecord[]>,
): AsyncGenerator<DecodedRecord[], void, void> {
  const { codec } = context;
  let waiting: StoredRecord | null = null;
  let delivered = 0;
  try {
    for await (const page of pages) {
      const decoded: DecodedRecord[] = [];
      try {
        for (const record of page) {
          if (waiting !== null) {
            if (record.seq !== waiting.seq - 1) throw gap(sessionId, waiting.seq - 1, record.seq);
            const text = decodeText(codec, sessionId, waiting, record);
            decoded.push({ record: waiting, text: typeof text === "string" ? text : await text });
          }
          waiting = record;
        }
      } catch (error) {
        yield decoded;
        throw error;
      }
      delivered += decoded.length;
      yield decoded;
    }
  } catch (error) {
    // Without a codec nothing depends on the record that cannot be read.
    if (codec === undefined && waiting !== null && delivered < range.limit) {
      const record: StoredRecord = waiting;
      if (typeof record.payload === "string") yield [{ record, text: record.payload }];
    }
    throw error;
  }
  // What is left has no record before it in the range: it is seq 1, or only a neighbour.
  if (waiting === null || waiting.seq <= range.sinceSeq || delivered >= range.limit) return;
  if (codec !== undefined && waiting.seq !== 1) throw gap(sessionId, waiting.seq - 1, waiting.seq);
  const text = decodeText(codec, sessionId, waiting, null);
  yield [{ record: waiting, text: typeof text === "string" ? text : await text }];
  if (delivered + 1 < range.limit && waiting.seq > range.sinceSeq + 1) {
    throw gap(sessionId, waiting.seq - 1, range.sinceSeq);
  }
}

function gap(sessionId: string, wanted: number, met: number): CorruptLogError {
  return new CorruptLogError(sessionId, wanted, null, `expected seq ${wanted}, found ${met}`);
}
