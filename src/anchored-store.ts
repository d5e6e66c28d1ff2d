import type { Anchor, AnchorPoint } from "./anchor.ts";
import { CheckpointError, quote } from "./errors.ts";
import { newGeneration } from "./generation.ts";
import { matchesBase } from "./head-token.ts";
import type {
  Base,
  Change,
  LogHead,
  Outcome,
  RecordStore,
  RewriteRecord,
  StoredRecord,
} from "./record-store.ts";

const tagBytes = 16;

/**
 * A store whose logs are held against an anchor. A log may be ahead of its anchor, which is what a
 * crash between the two leaves; one that is behind it, or has another record at its place, raises
 * `ANCHOR_MISMATCH`.
 *
 * The order makes every crash harmless: an append moves the anchor afterwards, a truncate or delete
 * before, and a rewrite names both tags before its swap and the new one after it. Where the store has
 * a lock of its own, a change and its anchor move under it.
 */
export function anchoredStore(store: RecordStore, anchor: Anchor): RecordStore {
  const together = <T>(sessionId: string, work: () => Promise<T>): Promise<T> =>
    store.exclusively === undefined ? work() : store.exclusively(sessionId, work);

  let closed = false;

  /** Reads a log's end and holds it against the anchor. */
  async function checkedHead(sessionId: string): Promise<LogHead | null> {
    const point = await anchor.get(sessionId);
    if (closed) throw new CheckpointError("CLOSED", "Cannot use the checkpointer: it was closed");
    const head = await store.head(sessionId);
    if (point === null || (await isAtPoint(store, sessionId, head, point))) return head;
    // A truncate in between lowers the anchor first: then both have to be read again.
    if (!samePoint(await anchor.get(sessionId), point)) return checkedHead(sessionId);
    throw mismatch(sessionId, point, head);
  }

  /**
   * Moves the anchor up to a new head, from where it stood before the change. One that was moved up
   * meanwhile is moved on; one that was moved down belongs to a later truncate and is left alone.
   */
  async function raise(
    sessionId: string,
    head: LogHead,
    before: AnchorPoint | null,
  ): Promise<void> {
    let from = before;
    while (from === null || from.seq < head.seq) {
      const point = { ...pointOf(head), cut: from?.cut };
      if (await anchor.set(sessionId, point, from)) {
        // A delete in between has cleared the anchor of a log that is gone; so do we.
        if ((await store.head(sessionId))?.generation === head.generation) return;
        await anchor.set(sessionId, from, point);
        return;
      }
      const current = await anchor.get(sessionId);
      const moved =
        current !== null && current.seq >= (from?.seq ?? 0) && current.cut === from?.cut;
      if (!moved || (await store.head(sessionId))?.generation !== head.generation) return;
      from = current;
    }
  }

  /** Puts the anchor at or below a seq that is about to become the end. */
  async function lower(sessionId: string, seq: number, generation: string): Promise<void> {
    const kept = seq === 0 ? null : await recordAt(store, sessionId, seq, generation);
    for (;;) {
      const current = await anchor.get(sessionId);
      if (current === null) return;
      const point = current.seq <= seq ? current : { seq, tag: kept === null ? "" : tagOf(kept) };
      if (await anchor.set(sessionId, { ...point, cut: newGeneration() }, current)) return;
    }
  }

  async function forget(sessionId: string): Promise<void> {
    for (;;) {
      const current = await anchor.get(sessionId);
      if (current === null || (await anchor.set(sessionId, null, current))) return;
    }
  }

  async function commit(sessionId: string, change: Change): Promise<Outcome> {
    const before = await anchor.get(sessionId);
    const head = await checkedHead(sessionId);
    const keep = change.keep ?? Infinity;
    const cuts = head !== null && keep < head.seq && matchesBase(head, change.base);
    if (cuts) await lower(sessionId, keep, head.generation);
    const outcome = await store.commit(sessionId, change);
    if (!("head" in outcome) || outcome.head === null) return outcome;
    const { seq, generation } = outcome.head;
    try {
      if (cuts && change.batches.length === 0) await lower(sessionId, seq, generation);
      else await raise(sessionId, outcome.head, cuts ? await anchor.get(sessionId) : before);
    } catch (cause) {
      throw anchorLost(sessionId, cause);
    }
    return outcome;
  }

  async function rewrite(
    sessionId: string,
    base: Base | null,
    records: AsyncIterable<RewriteRecord>,
    mtime: number,
  ): Promise<Outcome> {
    if (store.rewrite === undefined) throw new TypeError("rewrite: the store has none");
    const current = await anchor.get(sessionId);
    await checkedHead(sessionId);
    const announced = announce(anchor, sessionId, current, records);
    const outcome = await store.rewrite(sessionId, base, announced, mtime);
    if (!("head" in outcome) || outcome.head === null) return outcome;
    try {
      for (;;) {
        const point = await anchor.get(sessionId);
        const settled = point !== null && point.nextTag === undefined;
        if (settled || (await anchor.set(sessionId, pointOf(outcome.head), point))) return outcome;
      }
    } catch (cause) {
      throw anchorLost(sessionId, cause);
    }
  }

  return {
    capabilities: store.capabilities,
    head: checkedHead,
    commit: (sessionId, change) => together(sessionId, () => commit(sessionId, change)),
    async *read(sessionId, range) {
      await checkedHead(sessionId);
      yield* store.read(sessionId, range);
    },
    list: (page) => store.list(page),
    async delete(sessionId) {
      // A damaged log has no head, and deleting it is the way out. Twice, since an append that
      // lands before the log goes puts its anchor back.
      await forget(sessionId);
      await store.delete(sessionId);
      await forget(sessionId);
    },
    async close() {
      closed = true;
      await store.close();
      await anchor.close?.();
    },
    ...optional(store),
    ...(store.rewrite === undefined
      ? {}
      : {
          rewrite: (
            sessionId: string,
            base: Base | null,
            records: AsyncIterable<RewriteRecord>,
            mtime: number,
          ) => together(sessionId, () => rewrite(sessionId, base, records, mtime)),
        }),
  };
}

/** What a store may have and an anchor does not touch. */
function optional(store: RecordStore): Partial<RecordStore> {
  const has = (name: keyof RecordStore): boolean => store[name] !== undefined;
  const given = store as Required<RecordStore>;
  return {
    ...(has("exclusively") && {
      exclusively: <T>(sessionId: string, work: () => Promise<T>) =>
        given.exclusively(sessionId, work),
    }),
    ...(has("watch") && {
      watch: (sessionId: string, signal: AbortSignal) => given.watch(sessionId, signal),
    }),
    ...(has("verify") && { verify: (sessionId: string) => given.verify(sessionId) }),
    ...(has("repair") && { repair: (sessionId: string) => given.repair(sessionId) }),
  };
}

function anchorLost(sessionId: string, cause: unknown): CheckpointError {
  const detail = "it was applied, but its anchor could not be moved";
  return new CheckpointError(
    "OUTCOME_UNKNOWN",
    `Cannot tell whether the change to session ${quote(sessionId)} is protected: ${detail}`,
    { cause },
  );
}

/** Passes records on and, before the last one is through, tells the anchor which tag will be next. */
async function* announce(
  anchor: Anchor,
  sessionId: string,
  current: AnchorPoint | null,
  records: AsyncIterable<RewriteRecord>,
): AsyncGenerator<RewriteRecord, void, void> {
  let seq = 0;
  let nextTag: string | undefined;
  for await (const record of records) {
    seq += 1;
    if (seq === current?.seq) nextTag = tagOf(record);
    yield record;
  }
  if (current === null || nextTag === undefined) return;
  if (await anchor.set(sessionId, { ...current, nextTag }, current)) return;
  const detail = "its anchor was moved meanwhile";
  throw new CheckpointError("BUSY", `Cannot rewrite session ${quote(sessionId)}: ${detail}`);
}

async function isAtPoint(
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

async function recordAt(
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

function pointOf({ seq, tail }: LogHead): AnchorPoint {
  return { seq, tag: tail === null ? "" : tagOf(tail) };
}

function tagOf({ payload }: Pick<StoredRecord, "payload">): string {
  // A plain record has no tag; the engine refuses it wherever an anchor is in use.
  if (typeof payload === "string") return "plain";
  const tag = payload.subarray(-tagBytes);
  return Array.from(tag, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function samePoint(left: AnchorPoint | null, right: AnchorPoint | null): boolean {
  return left?.seq === right?.seq && left?.tag === right?.tag && left?.nextTag === right?.nextTag;
}

function mismatch(sessionId: string, point: AnchorPoint, head: LogHead | null): CheckpointError {
  const met =
    head === null ? "no log" : head.seq < point.seq ? `head ${head.seq}` : "another record";
  return new CheckpointError(
    "ANCHOR_MISMATCH",
    `Session ${quote(sessionId)} is not what it was: its anchor stands at seq ${point.seq}, met ${met}`,
  );
}
