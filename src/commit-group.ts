import type { CommitGroup, PendingAppend } from "./append-queue.ts";
import { now, type Instant } from "./clock.ts";
import type { Codec } from "./codec.ts";
import { encodeRecords } from "./decode-record.ts";
import { CheckpointConflictError, CheckpointError, quote } from "./errors.ts";
import { limits } from "./limits.ts";
import { matchesBase } from "./head-token.ts";
import { readPages, type ReadContext } from "./read-events.ts";
import { createReadableLogs } from "./readable-logs.ts";
import type { Base, Batch, Change, LogHead, Outcome } from "./record-store.ts";
import { createRememberedSessions } from "./remembered-sessions.ts";

/** Carries a codec's failure out of a commit; never leaves this file. */
class EncodingFailed extends Error {}

/** A base that no log has: asks a store about a key without any chance of appending. */
const neverBase: Base = { seq: 0, generation: "-" };

/**
 * Commits appends of one session in order, as one commit when nothing stands against it, and settles
 * each: with its own head, its own conflict, or the failure of the commit.
 */
export function createCommitGroup(given: ReadContext): CommitGroup {
  const { store, codec } = given;
  // What was issued before `close()` completes, and so do the reads that it takes.
  const context: ReadContext = { ...given, closed: () => false };
  const remembered = createRememberedSessions<LogHead | null>();
  const readable = createReadableLogs(context);

  return (sessionId, group, onSettled) => {
    const only = group.length === 1 ? group[0] : undefined;
    if (only !== undefined && !only.cancelled && isBlind(sessionId, group)) {
      commitOne(sessionId, only, onSettled);
    } else void commitMany(sessionId, group).then(onSettled);
  };

  /** The common case, with as few steps as it can have: one append that the store alone decides. */
  function commitOne(sessionId: string, append: PendingAppend, onSettled: () => void): void {
    append.started = true;
    const { ts, mtime } = now();
    const records = append.texts.map((payload) => ({ ts, payload }));
    const batches = [{ key: append.key, records }];
    void commitSafely(sessionId, { base: append.expected, batches, mtime }).then(
      (outcome) => {
        if ("duplicate" in outcome) return void commitMany(sessionId, [append]).then(onSettled);
        if ("head" in outcome) append.resolve(outcome.head?.seq ?? 0);
        else append.reject(conflictError(sessionId, append, outcome.conflict?.seq ?? 0));
        return onSettled();
      },
      (error: unknown) => {
        append.reject(error);
        onSettled();
      },
    );
  }

  /** A store that throws instead of rejecting must not leave the session waiting for ever. */
  function commitSafely(sessionId: string, change: Change): Promise<Outcome> {
    try {
      return store.commit(sessionId, change);
    } catch (error) {
      const fail = async (): Promise<never> => {
        throw error;
      };
      return fail();
    }
  }

  /**
   * Whether no head is needed. The store decides then, and the end of the log is not looked at again:
   * without a codec only the first append finds out that it cannot read what is there.
   */
  function isBlind(sessionId: string, pending: readonly PendingAppend[]): boolean {
    return canGoDirect(codec, pending) && readable.isKnown(sessionId);
  }

  async function commitMany(sessionId: string, group: PendingAppend[]): Promise<void> {
    const pending = group.filter((append) => !append.cancelled);
    for (const append of pending) append.started = true;
    try {
      if (await run(sessionId, pending, false)) return;
      // Encoding takes time, and a rival that is always faster must not starve us.
      await store.exclusively?.(sessionId, () => run(sessionId, pending, true));
    } catch (error) {
      remembered.forget(sessionId);
      if (!(error instanceof EncodingFailed)) {
        for (const append of pending) append.reject(error);
      } else if (pending.length === 1) pending[0]?.reject(error.cause);
      // One that cannot be encoded must not take its neighbours along.
      else for (const append of pending) await commitMany(sessionId, [append]);
    }
  }

  /**
   * Works until `pending` is empty.
   *
   * @returns false when it lost a race and should be called again under the store's own lock
   */
  async function run(
    sessionId: string,
    pending: PendingAppend[],
    exclusive: boolean,
  ): Promise<boolean> {
    let head = exclusive ? undefined : remembered.get(sessionId);
    let fresh = false;
    let looks = limits.looksAtMovingLog + pending.length;
    while (pending.length > 0) {
      if ((looks -= 1) < 0) throw movingError(sessionId);
      const direct = canGoDirect(codec, pending);
      const blind = isBlind(sessionId, pending);
      if (!blind && head === undefined) {
        head = await store.head(sessionId);
        fresh = true;
      }
      const adds = pending.some(({ texts }) => texts.length > 0);
      if (!blind && adds && !(await readable.requireReadable(sessionId, head ?? null))) {
        head = undefined;
        continue;
      }
      const plan = direct ? planDirect(pending) : planBehind(head ?? null, pending);
      if (plan.records === 0 && !direct) {
        if (!fresh) {
          head = undefined;
          continue;
        }
        if (await answerKeyed(sessionId, pending)) continue;
        settle(sessionId, plan, head?.seq ?? 0, pending);
        return true;
      }
      const outcome = await commit(sessionId, plan, head ?? null);
      if ("head" in outcome) {
        if (codec !== undefined) remembered.set(sessionId, outcome.head);
        if (!direct) readable.appended(sessionId, outcome.head);
        settle(sessionId, plan, (outcome.head?.seq ?? 0) - plan.records, pending);
        return true;
      }
      if ("duplicate" in outcome) {
        await settleDuplicate(sessionId, outcome.duplicate, pending);
        continue;
      }
      remembered.forget(sessionId);
      head = outcome.conflict;
      fresh = true;
      if (direct) {
        for (const append of pending.splice(0)) {
          append.reject(conflictError(sessionId, append, head?.seq ?? 0));
        }
      } else if (!exclusive && store.exclusively !== undefined) {
        return false;
      }
    }
    return true;
  }

  async function commit(sessionId: string, plan: Plan, head: LogHead | null): Promise<Outcome> {
    const instant = now();
    let batches: Batch[];
    try {
      batches = await encodeBatches(codec, sessionId, plan, head, instant);
    } catch (cause) {
      throw new EncodingFailed("encoding failed", { cause });
    }
    return store.commit(sessionId, { base: plan.base, batches, mtime: instant.mtime });
  }

  /** A key that was used before answers even when the expectation beside it has become stale. */
  async function answerKeyed(sessionId: string, pending: PendingAppend[]): Promise<boolean> {
    const append = pending[0];
    if (pending.length !== 1 || append?.key === undefined) return false;
    const { mtime, ts } = now();
    const batches = [{ key: append.key, records: [{ ts, payload: "{}" }] }];
    const outcome = await store.commit(sessionId, { base: neverBase, batches, mtime });
    return "duplicate" in outcome && settleDuplicate(sessionId, outcome.duplicate, pending);
  }

  /**
   * @returns false when the records of the key vanished meanwhile; their key vanished with them
   */
  async function settleDuplicate(
    sessionId: string,
    duplicate: { readonly key: string; readonly from: number; readonly to: number },
    pending: PendingAppend[],
  ): Promise<boolean> {
    const { key, from, to } = duplicate;
    const index = pending.findIndex((append) => append.key === key);
    const append = pending[index];
    if (append === undefined) {
      throw new CheckpointError("IO_FAILED", `The store reported a key that was not asked for`);
    }
    const range = { sinceSeq: from - 1, untilSeq: to, limit: Infinity, reverse: false };
    const stored: string[] = [];
    for await (const page of readPages(context, sessionId, range, undefined)) {
      for (const { text } of page) stored.push(text);
    }
    if (stored.length !== to - from + 1) return false;
    pending.splice(index, 1);
    const same =
      stored.length === append.texts.length &&
      stored.every((text, position) => text === append.texts[position]);
    if (same) append.resolve(to);
    else append.reject(mismatchError(sessionId, key));
    return true;
  }
}

/** What one commit will try, and what it already knows it will refuse. */
interface Plan {
  readonly base: Base | null;
  readonly accepted: readonly PendingAppend[];
  /** Records in `accepted`. */
  readonly records: number;
}

/** Whether the store can decide alone, so that no head has to be looked up first. */
function canGoDirect(codec: Codec | undefined, pending: readonly PendingAppend[]): boolean {
  if (codec !== undefined || pending.some((append) => append.texts.length === 0)) return false;
  return pending.length === 1 || pending.every((append) => append.expected === null);
}

function planDirect(pending: readonly PendingAppend[]): Plan {
  const records = pending.reduce((sum, append) => sum + append.texts.length, 0);
  return { base: pending[0]?.expected ?? null, accepted: [...pending], records };
}

/** Checks each expectation against the head as it will be when the append's turn comes. */
function planBehind(head: LogHead | null, pending: readonly PendingAppend[]): Plan {
  const generation = head?.generation ?? "";
  const accepted: PendingAppend[] = [];
  let records = 0;
  for (const append of pending) {
    if (!matchesRunning(head, records, append.expected)) continue;
    accepted.push(append);
    records += append.texts.length;
  }
  return { base: { seq: head?.seq ?? 0, generation }, accepted, records };
}

function matchesRunning(head: LogHead | null, records: number, expected: Base | null): boolean {
  if (expected === null) return true;
  if (records === 0) return matchesBase(head, expected);
  if (expected.seq !== (head?.seq ?? 0) + records) return false;
  // Behind a creation of this very commit the generation is not known, so no token can name it.
  return expected.generation === undefined || expected.generation === head?.generation;
}

async function encodeBatches(
  codec: Codec | undefined,
  sessionId: string,
  plan: Plan,
  head: LogHead | null,
  { ts }: Instant,
): Promise<Batch[]> {
  const writing = plan.accepted.filter((append) => append.texts.length > 0);
  if (codec === undefined) {
    return writing.map(({ key, texts }) => ({
      key,
      records: texts.map((payload) => ({ ts, payload })),
    }));
  }
  const texts = writing.flatMap((append) => append.texts.map((text) => ({ ts, text })));
  const end = { seq: head?.seq ?? 0, tail: head?.tail ?? null };
  const records = await encodeRecords(codec, sessionId, end, texts);
  let taken = 0;
  return writing.map((append) => {
    const own = records.slice(taken, taken + append.texts.length);
    taken += own.length;
    return { key: append.key, records: own };
  });
}

/** Settles every append of a plan that went through, in order, so that each refusal is honest. */
function settle(sessionId: string, plan: Plan, before: number, pending: PendingAppend[]): void {
  const accepted = new Set(plan.accepted);
  let head = before;
  for (const append of pending.splice(0)) {
    if (accepted.has(append)) {
      head += append.texts.length;
      append.resolve(head);
    } else append.reject(conflictError(sessionId, append, head));
  }
}

function conflictError(
  sessionId: string,
  append: PendingAppend,
  actual: number,
): CheckpointConflictError {
  return new CheckpointConflictError(sessionId, append.expectedHead, actual);
}

function movingError(sessionId: string): CheckpointError {
  const detail = `the log was another one at each of ${limits.looksAtMovingLog} looks`;
  return new CheckpointError("BUSY", `Cannot append to session ${quote(sessionId)}: ${detail}`);
}

function mismatchError(sessionId: string, key: string): CheckpointError {
  return new CheckpointError(
    "IDEMPOTENCY_MISMATCH",
    `Cannot append to session ${quote(sessionId)}: idempotency key ${quote(key)} was used with ` +
      "other events",
  );
}
