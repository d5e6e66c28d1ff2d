import { now } from "./clock.ts";
import type { Codec } from "./codec.ts";
import { encodeText, previousOf } from "./decode-record.ts";
import { CheckpointError, quote } from "./errors.ts";
import { readPages, type ReadContext } from "./read-events.ts";
import type { Base, LogHead, Outcome, RewriteRecord, RecordStore } from "./record-store.ts";

/** Attempts without the store's own lock before a busy session is given up on. */
const attempts = 5;

/**
 * Writes records as they should stand in a new log: decoded by the context's codec and encoded by
 * `codec` for `targetId`, with their timestamps.
 *
 * @param keepKeys - whether idempotency keys go along
 */
export async function* reencode(
  context: ReadContext,
  sourceId: string,
  range: { readonly untilSeq: number; readonly generation: string },
  target: { readonly sessionId: string; readonly codec: Codec | undefined; keepKeys: boolean },
): AsyncGenerator<RewriteRecord, void, void> {
  const whole = { ...range, sinceSeq: 0, limit: Infinity, reverse: false };
  const { sessionId, codec } = target;
  let previous: Uint8Array | null = null;
  for await (const page of readPages(context, sourceId, whole, undefined)) {
    for (const { record, text } of page) {
      const { seq, ts, key } = record;
      const payload: string | Uint8Array =
        codec === undefined
          ? text
          : await encodeText(codec, text, { sessionId, seq, ts, previous });
      previous = previousOf({ seq, ts, payload });
      yield target.keepKeys && key !== undefined ? { ts, payload, key } : { ts, payload };
    }
  }
}

/** Puts a whole new log in place: through `rewrite`, or in one commit within the store's limit. */
export async function putWhole(
  store: RecordStore,
  sessionId: string,
  base: Base,
  records: AsyncIterable<RewriteRecord>,
): Promise<Outcome> {
  const { mtime } = now();
  if (store.rewrite !== undefined) return store.rewrite(sessionId, base, records, mtime);
  const { maxBatchEvents } = store.capabilities.limits;
  const collected: RewriteRecord[] = [];
  for await (const record of records) {
    collected.push(record);
    if (collected.length > maxBatchEvents) {
      const detail = `this adapter rewrites at most ${maxBatchEvents} events at once`;
      throw new CheckpointError("LIMIT_EXCEEDED", `Cannot write ${quote(sessionId)}: ${detail}`);
    }
  }
  const keep = base.seq === 0 ? undefined : 0;
  const batches = collected.length === 0 ? [] : [{ records: collected }];
  return store.commit(sessionId, { base, keep, batches, mtime });
}

/**
 * Seals a whole log anew, in one atomic step: `context` reads it, `codec` writes it. Until the swap the
 * old log is what everybody sees; a crash leaves the old or the new one. Appends that land meanwhile
 * make it start over, and in the end wait for it where the store has a lock of its own.
 *
 * @returns the number of records; 0 for an absent or empty session
 * @throws CheckpointError `BUSY` when other writers were faster every time
 */
export async function rewriteSession(
  context: ReadContext,
  sessionId: string,
  codec: Codec | undefined,
): Promise<number> {
  const { store } = context;
  const once = async (): Promise<number | null> => {
    const head = await store.head(sessionId);
    if (head === null || head.seq === 0) return 0;
    return (await swap(context, sessionId, head, codec)) ? head.seq : null;
  };
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const records = await once();
    if (records !== null) return records;
  }
  const records = (await store.exclusively?.(sessionId, once)) ?? null;
  if (records !== null) return records;
  const detail = `other writers were faster ${attempts} times`;
  throw new CheckpointError("BUSY", `Cannot rewrite session ${quote(sessionId)}: ${detail}`);
}

async function swap(
  context: ReadContext,
  sessionId: string,
  { seq, generation }: LogHead,
  codec: Codec | undefined,
): Promise<boolean> {
  const range = { untilSeq: seq, generation };
  const target = { sessionId, codec, keepKeys: true };
  const records = reencode(context, sessionId, range, target);
  const outcome = await putWhole(context.store, sessionId, { seq, generation }, records);
  return "head" in outcome;
}

/**
 * Whether a session has a record that has to be sealed anew.
 *
 * @param codec - any record that it does not call current; undefined: any plain record
 */
export async function needsSealing(
  store: RecordStore,
  sessionId: string,
  codec: Codec | undefined,
): Promise<boolean> {
  const whole = { sinceSeq: 0, untilSeq: Number.MAX_SAFE_INTEGER, limit: Infinity, reverse: false };
  for await (const page of store.read(sessionId, whole)) {
    for (const { payload } of page) {
      if (codec === undefined) return typeof payload === "string";
      const current =
        typeof payload !== "string" && (await codec.isCurrent?.(payload, sessionId)) === true;
      if (!current) return true;
    }
  }
  return false;
}
