import { now } from "./clock.ts";
import { encodeText, previousOf } from "./decode-record.ts";
import { CheckpointConflictError, CheckpointError, quote } from "./errors.ts";
import { readPages, type ReadContext } from "./read-events.ts";
import type { NewRecord, Outcome } from "./record-store.ts";

/** A fork's target must not exist at all; an empty session is one that exists. */
const absent = { seq: 0, generation: "" };

/**
 * Copies seq 1 to `atSeq` into a new session in one atomic step. Records are decoded and encoded
 * anew, since a codec binds them to their session.
 */
export async function forkSession(
  context: ReadContext,
  sourceId: string,
  atSeq: number,
  targetId: string,
): Promise<number> {
  const { store } = context;
  const source = await store.head(sourceId);
  if (atSeq < 1 || source === null || atSeq > source.seq) {
    const head = source?.seq ?? 0;
    throw new RangeError(
      `atSeq: wanted 1 to the head of session ${quote(sourceId)}, which is ${head}, met ${atSeq}`,
    );
  }
  const target = await store.head(targetId);
  if (target !== null) throw new CheckpointConflictError(targetId, 0, target.seq);
  const records = copyRecords(context, sourceId, atSeq, source.generation, targetId);
  const outcome = await putWhole(context, targetId, records);
  if ("conflict" in outcome) {
    throw new CheckpointConflictError(targetId, 0, outcome.conflict?.seq ?? 0);
  }
  return atSeq;
}

async function* copyRecords(
  context: ReadContext,
  sourceId: string,
  atSeq: number,
  generation: string,
  targetId: string,
): AsyncGenerator<NewRecord, void, void> {
  const { codec } = context;
  const range = { sinceSeq: 0, untilSeq: atSeq, limit: Infinity, reverse: false, generation };
  let previous: NewRecord | null = null;
  for await (const page of readPages(context, sourceId, range, undefined)) {
    for (const { record, text } of page) {
      const { seq, ts } = record;
      let payload: string | Uint8Array = text;
      if (codec !== undefined) {
        const neighbour: Uint8Array | null =
          previous === null ? null : previousOf({ ...previous, seq: seq - 1 });
        payload = await encodeText(codec, text, {
          sessionId: targetId,
          seq,
          ts,
          previous: neighbour,
        });
      }
      previous = { ts, payload };
      yield previous;
    }
  }
}

async function putWhole(
  { store }: ReadContext,
  targetId: string,
  records: AsyncIterable<NewRecord>,
): Promise<Outcome> {
  const { mtime } = now();
  if (store.rewrite !== undefined) return store.rewrite(targetId, absent, records, mtime);
  const { maxBatchEvents } = store.capabilities.limits;
  const collected: NewRecord[] = [];
  for await (const record of records) {
    collected.push(record);
    if (collected.length > maxBatchEvents) {
      const detail = `this adapter copies at most ${maxBatchEvents} events at once`;
      throw new CheckpointError("LIMIT_EXCEEDED", `Cannot fork into ${quote(targetId)}: ${detail}`);
    }
  }
  return store.commit(targetId, { base: absent, batches: [{ records: collected }], mtime });
}
