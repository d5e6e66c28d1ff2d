import type { AnchorPoint } from "./anchor.ts";
import type { LogHead, RecordStore, StoredRecord } from "./record-store.ts";

const tagBytes = 16;

/** What every log contains. */
export const start: AnchorPoint = Object.freeze({ seq: 0, tag: "" });

/** The point once its announced tag is the only one. */
export function settled({ nextTag, ...point }: AnchorPoint): AnchorPoint {
  return nextTag === undefined ? point : { ...point, tag: nextTag };
}

/** Whether a log contains a point, under the tag that stands there or the one announced for it. */
export async function isAtPoint(
  store: RecordStore,
  sessionId: string,
  head: LogHead | null,
  point: AnchorPoint,
): Promise<boolean> {
  if (point.seq === 0) return true;
  if (head === null || head.seq < point.seq) return false;
  const record =
    head.seq === point.seq
      ? head.tail
      : await recordAt(store, sessionId, point.seq, head.generation);
  if (record === null) return false;
  const tag = tagOf(record);
  return tag === point.tag || tag === point.nextTag;
}

/**
 * One record of a log.
 *
 * @throws CheckpointError `LOG_CHANGED` when the log has another generation
 */
export async function recordAt(
  store: Pick<RecordStore, "read">,
  sessionId: string,
  seq: number,
  generation: string,
): Promise<StoredRecord | null> {
  const range = { sinceSeq: seq - 1, untilSeq: seq, limit: 1, reverse: false, generation };
  for await (const page of store.read(sessionId, range)) {
    for (const record of page) return record;
  }
  return null;
}

/** The point at the end of a log. */
export function pointOf({ seq, tail }: LogHead): AnchorPoint {
  return { seq, tag: tail === null ? "" : tagOf(tail) };
}

/** What an anchor remembers of a record. */
export function tagOf({ payload }: Pick<StoredRecord, "payload">): string {
  // A plain record has no tag; the engine refuses it wherever an anchor is in use.
  if (typeof payload === "string") return "plain";
  const tag = payload.subarray(-tagBytes);
  return Array.from(tag, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether two points ask the same of a log. */
export function samePoint(left: AnchorPoint | null, right: AnchorPoint | null): boolean {
  return left?.seq === right?.seq && left?.tag === right?.tag && left?.nextTag === right?.nextTag;
}
