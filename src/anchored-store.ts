import type { Anchor, AnchorPoint } from "./anchor.ts";
import { isAtPoint, pointOf, recordAt, samePoint, settled, start, tagOf } from "./anchor-point.ts";
import { CheckpointError, isCheckpointError, quote } from "./errors.ts";
import { newGeneration } from "./generation.ts";
import { matchesBase } from "./head-token.ts";
import type { Base, Change, LogHead, Outcome, RecordStore, RewriteRecord } from "./record-store.ts";

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
    if (point === null) return head;
    const isThere = await unlessChanged(() => isAtPoint(store, sessionId, head, point));
    if (isThere === null) return checkedHead(sessionId);
    if (isThere) return head;
    // A truncate in between lowers the anchor first: then both have to be read again.
    if (!samePoint(await anchor.get(sessionId), point)) return checkedHead(sessionId);
    throw mismatch(sessionId, point, head);
  }

  /**
   * Moves the anchor up to a new head, from where it stood before the change. One that was moved up
   * meanwhile is moved on; one that was moved down belongs to a later truncate and is left alone, and
   * one with an announcement to a later rewrite, whose log may have another record at this head. An
   * announcement from before the change is void: its swap came first, or has lost its base.
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
        current !== null &&
        current.seq >= (from?.seq ?? 0) &&
        current.cut === from?.cut &&
        (current.nextTag === undefined || current.nextTag === before?.nextTag);
      if (!moved || (await store.head(sessionId))?.generation !== head.generation) return;
      from = current;
    }
  }

  /**
   * Puts the anchor at or below a seq that is about to become the end. While a rewrite is announced
   * nobody else can tell which tag will stand there, so it goes to the beginning.
   */
  async function lower(sessionId: string, seq: number, generation: string): Promise<void> {
    const kept = seq === 0 ? null : await recordAt(store, sessionId, seq, generation);
    const end = { seq, tag: kept === null ? "" : tagOf(kept) };
    for (;;) {
      const current = await anchor.get(sessionId);
      if (current === null) return;
      const below = current.nextTag === undefined ? end : start;
      const point = current.seq <= seq ? current : below;
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
    if (cuts) return cut(sessionId, change, head, keep);
    return protect(sessionId, await store.commit(sessionId, change), async () => before);
  }

  /** Cuts the very log that the anchor was lowered for; an append in between starts it over. */
  async function cut(
    sessionId: string,
    change: Change,
    { seq, generation }: LogHead,
    keep: number,
  ): Promise<Outcome> {
    const lowered = await unlessChanged(() => lower(sessionId, keep, generation).then(() => true));
    if (lowered === null) return commit(sessionId, change);
    const outcome = await store.commit(sessionId, { ...change, base: { seq, generation } });
    if ("conflict" in outcome && matchesBase(outcome.conflict, change.base)) {
      return commit(sessionId, change);
    }
    return protect(sessionId, outcome, () => anchor.get(sessionId));
  }

  /** Moves the anchor up to what a change led to. */
  async function protect(
    sessionId: string,
    outcome: Outcome,
    before: () => Promise<AnchorPoint | null>,
  ): Promise<Outcome> {
    if (!("head" in outcome) || outcome.head === null) return outcome;
    try {
      await raise(sessionId, outcome.head, await before());
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
    const before = await anchor.get(sessionId);
    const standing =
      before !== null ? await standingPoint(sessionId, before) : isCreation(base) ? null : start;
    let announced: AnchorPoint | null = null;
    let isMoved = false;
    const tell = async (point: AnchorPoint): Promise<void> => {
      isMoved = !(await anchor.set(sessionId, point, before));
      if (isMoved) throw anchorMoved(sessionId);
      announced = point;
    };
    let outcome: Outcome;
    try {
      outcome = await store.rewrite(sessionId, base, announce(records, standing, tell), mtime);
    } catch (error) {
      // Whoever moved the anchor has changed the log: a lost race like any other.
      if (isMoved) return { conflict: await checkedHead(sessionId) };
      throw error;
    }
    return protect(sessionId, outcome, async () => {
      if (announced === null) return before;
      await settle(sessionId, announced);
      return settled(announced);
    });
  }

  /**
   * The point without the tag that never came, or without the one that it replaced: a rewrite that
   * crashed after its swap must not be forgotten by the next one.
   */
  async function standingPoint(sessionId: string, point: AnchorPoint): Promise<AnchorPoint> {
    const head = await checkedHead(sessionId);
    if (point.nextTag === undefined || head === null) return point;
    const record = await recordAt(store, sessionId, point.seq, head.generation);
    const isThere = record !== null && tagOf(record) === point.nextTag;
    return isThere ? settled(point) : point;
  }

  /** Takes the announced tag for the only one, unless somebody else has moved the anchor since. */
  async function settle(sessionId: string, { nextTag }: AnchorPoint): Promise<void> {
    for (;;) {
      const point = await anchor.get(sessionId);
      if (point === null || point.nextTag !== nextTag) return;
      if (await anchor.set(sessionId, settled(point), point)) return;
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

/** Nobody can append to a log that is not there, so that its creation needs no announcement. */
function isCreation(base: Base | null): boolean {
  return base !== null && base.seq === 0;
}

/** What `work` gives; null when the log was replaced under its hands. */
async function unlessChanged<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isCheckpointError(error, "LOG_CHANGED")) return null;
    throw error;
  }
}

function anchorMoved(sessionId: string): CheckpointError {
  const detail = "its anchor was moved meanwhile";
  return new CheckpointError("BUSY", `Cannot rewrite session ${quote(sessionId)}: ${detail}`);
}

function anchorLost(sessionId: string, cause: unknown): CheckpointError {
  const detail = "it was applied, but its anchor could not be moved";
  return new CheckpointError(
    "OUTCOME_UNKNOWN",
    `Cannot tell whether the change to session ${quote(sessionId)} is protected: ${detail}`,
    { cause },
  );
}

/** Passes records on and, before the last one is through, tells which tag will stand at the point. */
async function* announce(
  records: AsyncIterable<RewriteRecord>,
  point: AnchorPoint | null,
  tell: (point: AnchorPoint) => Promise<void>,
): AsyncGenerator<RewriteRecord, void, void> {
  let seq = 0;
  let nextTag = "";
  for await (const record of records) {
    seq += 1;
    if (seq === point?.seq) nextTag = tagOf(record);
    yield record;
  }
  if (point !== null && seq > 0) await tell({ ...point, nextTag });
}

function mismatch(sessionId: string, point: AnchorPoint, head: LogHead | null): CheckpointError {
  const met =
    head === null ? "no log" : head.seq < point.seq ? `head ${head.seq}` : "another record";
  return new CheckpointError(
    "ANCHOR_MISMATCH",
    `Session ${quote(sessionId)} is not what it was: its anchor stands at seq ${point.seq}, met ${met}`,
  );
}
