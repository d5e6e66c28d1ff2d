import { CheckpointConflictError, quote } from "./errors.ts";
import type { ReadContext } from "./read-events.ts";
import { putWhole, reencode } from "./rewrite-session.ts";

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
  const { store, codec } = context;
  const source = await store.head(sourceId);
  if (atSeq < 1 || source === null || atSeq > source.seq) {
    const head = source?.seq ?? 0;
    throw new RangeError(
      `atSeq: wanted 1 to the head of session ${quote(sourceId)}, which is ${head}, met ${atSeq}`,
    );
  }
  const target = await store.head(targetId);
  if (target !== null) throw new CheckpointConflictError(targetId, 0, target.seq);
  const range = { untilSeq: atSeq, generation: source.generation };
  const copy = { sessionId: targetId, codec, keepKeys: false };
  const records = reencode(context, sourceId, range, copy);
  const outcome = await putWhole(store, targetId, absent, records);
  if ("conflict" in outcome) {
    throw new CheckpointConflictError(targetId, 0, outcome.conflict?.seq ?? 0);
  }
  return atSeq;
}
