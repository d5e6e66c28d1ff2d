import { createAppendQueue, type PendingAppend } from "./append-queue.ts";
import {
  requireEvents,
  requireOptions,
  requireSignal,
  resolveAppend,
  resolveListPage,
  resolveRange,
} from "./arguments.ts";
import type { Capabilities } from "./capabilities.ts";
import { anchoredStore } from "./anchored-store.ts";
import type { Anchor } from "./anchor.ts";
import type { Checkpointer, RewriteReport } from "./checkpointer.ts";
import { now } from "./clock.ts";
import type { Codec } from "./codec.ts";
import { createCommitGroup } from "./commit-group.ts";
import { CheckpointConflictError, CheckpointError } from "./errors.ts";
import { createFollowers } from "./followers.ts";
import { forkSession } from "./fork-session.ts";
import { headTokenOf, parseExpectedHead, requireSeq } from "./head-token.ts";
import { limits } from "./limits.ts";
import { readEvents } from "./read-events.ts";
import type { RecordStore } from "./record-store.ts";
import { needsSealing, rewriteSession } from "./rewrite-session.ts";
import { serializeEvent } from "./serialize-event.ts";
import type { EventObject, SessionEvent } from "./session-event.ts";
import { requireSessionId } from "./session-id.ts";
import { tailEvents } from "./tail-events.ts";
import { notSupported, verifySession } from "./verify-session.ts";

/** Options of {@link createCheckpointer}. */
export interface CheckpointerOptions {
  /** Seals every record. Left out: records are plain JSON text. */
  readonly codec?: Codec | undefined;
  /**
   * Remembers the end of each log where the storage's owner cannot write. Needs a codec that
   * authenticates. Closed with the checkpointer.
   */
  readonly anchor?: Anchor | undefined;
}

/**
 * The engine: turns a six-method `RecordStore` into a full {@link Checkpointer}.
 *
 * It validates arguments and events, serialises at the call, keeps changes of one session in issue
 * order, merges appends that wait into one commit, runs the codec, re-encodes after a lost race,
 * checks and decodes what it reads, and adds forks, head tokens, following and verification.
 *
 * @param plainStore - owned by the checkpointer from now on; `close()` closes it
 */
export function createCheckpointer<E extends EventObject = SessionEvent>(
  plainStore: RecordStore,
  options: CheckpointerOptions = {},
): Checkpointer<E> {
  const { codec, anchor } = options;
  if (anchor !== undefined && codec?.kind !== "aead") {
    throw new TypeError("anchor: wanted a codec that authenticates beside it, met none");
  }
  const store = anchor === undefined ? plainStore : anchoredStore(plainStore, anchor);
  const capabilities = describe(store);
  const { maxEventBytes, maxBatchEvents } = capabilities.limits;
  let closing: Promise<void> | undefined;
  const context = { store, codec, closed: () => closing !== undefined };
  const followers = createFollowers();
  const queue = createAppendQueue(createCommitGroup(context), (sessionId) =>
    followers.wake(sessionId),
  );

  function requireOpen(): void {
    if (closing !== undefined) {
      throw new CheckpointError("CLOSED", "Cannot use the checkpointer: it was closed");
    }
  }

  function requireUse(sessionId: unknown): asserts sessionId is string {
    requireOpen();
    requireSessionId(sessionId);
  }

  /** Runs a change in its place among the appends of a session, then wakes who follows it. */
  function change<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    return queue.inOrder(sessionId, work).finally(() => followers.wake(sessionId));
  }

  /** Work of many steps: `close()` waits for the step at hand, and the next one is refused. */
  const longWork = new Set<Promise<unknown>>();
  async function untilClosed<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    longWork.add(running);
    return running.finally(() => longWork.delete(running));
  }

  const close = (): Promise<void> => {
    closing ??= (async () => {
      followers.wakeAll();
      await Promise.allSettled(longWork);
      await queue.idle();
      await store.close();
    })();
    return closing;
  };

  return {
    capabilities,

    append(sessionId, events, expected) {
      return new Promise<number>((resolve, reject) => {
        requireUse(sessionId);
        const { expected: base, expectedHead, key, signal } = resolveAppend(expected);
        requireEvents(events, maxBatchEvents);
        if (key !== undefined && !capabilities.idempotency) {
          throw notSupported("remember idempotency keys");
        }
        signal?.throwIfAborted();
        const { texts, size } = captureEvents(events, maxEventBytes);
        const append: PendingAppend = {
          texts,
          size,
          expected: base,
          expectedHead,
          key,
          started: false,
          cancelled: false,
          resolve,
          reject,
        };
        queue.append(sessionId, signal === undefined ? append : abortable(append, signal));
      });
    },

    async *read(sessionId, readOptions) {
      requireUse(sessionId);
      const { signal, ...given } = requireOptions("options", readOptions);
      const range = resolveRange({ ...given, signal });
      yield* readEvents<E>(context, sessionId, range, signal);
    },

    async head(sessionId) {
      requireUse(sessionId);
      return (await store.head(sessionId))?.seq ?? 0;
    },

    async headToken(sessionId) {
      requireUse(sessionId);
      if (!capabilities.headToken) throw notSupported("make head tokens");
      return headTokenOf(await store.head(sessionId));
    },

    async list(listOptions) {
      requireOpen();
      return store.list(resolveListPage(requireOptions("options", listOptions)));
    },

    async delete(sessionId) {
      requireUse(sessionId);
      await change(sessionId, () => store.delete(sessionId));
    },

    async truncate(sessionId, toSeq, expected) {
      requireUse(sessionId);
      requireSeq("toSeq", toSeq);
      const base = expected === undefined ? null : parseExpectedHead(expected);
      if (!store.capabilities.truncate) throw notSupported("truncate");
      const outcome = await change(sessionId, () =>
        store.commit(sessionId, { base, keep: toSeq, batches: [], mtime: now().mtime }),
      );
      if ("conflict" in outcome) {
        throw new CheckpointConflictError(sessionId, expected ?? 0, outcome.conflict?.seq ?? 0);
      }
    },

    async fork(sourceId, atSeq, targetId) {
      requireUse(sourceId);
      requireSeq("atSeq", atSeq);
      requireSessionId(targetId);
      return change(targetId, () => forkSession(context, sourceId, atSeq, targetId));
    },

    async *tail(sessionId, tailOptions) {
      requireUse(sessionId);
      const { sinceSeq = 0, signal } = requireOptions("options", tailOptions);
      requireSeq("sinceSeq", sinceSeq);
      requireSignal(signal);
      yield* tailEvents<E>(context, followers, sessionId, sinceSeq, signal);
    },

    async *verify(sessionId) {
      requireOpen();
      if (sessionId !== undefined) requireSessionId(sessionId);
      const page = { limit: limits.defaultListLimit, prefix: sessionId ?? "" };
      for (const { id } of await store.list(page)) {
        if (sessionId === undefined || id === sessionId) yield verifySession(context, id);
      }
    },

    async repair(sessionId) {
      requireUse(sessionId);
      if (store.repair === undefined) throw notSupported("repair");
      return change(sessionId, async () => (await store.repair?.(sessionId)) ?? null);
    },

    rekey: (sessionId) => untilClosed(() => sealAnew("rekey", sessionId, codec)),
    adopt: (sessionId) => untilClosed(() => sealAnew("adopt", sessionId, undefined)),

    close,
    [Symbol.asyncDispose]: close,
  };

  /** @param from - the codec that the records to seal anew were written with */
  async function sealAnew(
    operation: "rekey" | "adopt",
    sessionId: string | undefined,
    from: Codec | undefined,
  ): Promise<RewriteReport> {
    requireOpen();
    if (sessionId !== undefined) requireSessionId(sessionId);
    if (codec === undefined) throw notSupported(`${operation} without a codec`);
    const page = { limit: limits.defaultListLimit, prefix: sessionId ?? "" };
    const total = { sessions: 0, records: 0, skipped: 0 };
    for (const { id } of await store.list(page)) {
      if (sessionId !== undefined && id !== sessionId) continue;
      requireOpen();
      const needed = await needsSealing(store, id, operation === "rekey" ? codec : undefined);
      if (needed) requireOpen();
      const records = needed
        ? await change(id, () => rewriteSession({ ...context, codec: from }, id, codec))
        : 0;
      total.records += records;
      if (records > 0) total.sessions += 1;
      else total.skipped += 1;
    }
    return total;
  }
}

/** The JSON texts of an append's events, as they are now. */
function captureEvents(
  events: readonly unknown[],
  maxEventBytes: number,
): { texts: string[]; size: number } {
  const texts: string[] = [];
  let size = 0;
  for (let index = 0; index < events.length; index += 1) {
    const text = serializeEvent(events[index], index, maxEventBytes);
    size += text.length;
    texts.push(text);
  }
  if (size > limits.maxBatchBytes) {
    const detail = `${size} characters of JSON, wanted at most ${limits.maxBatchBytes}`;
    throw new CheckpointError("LIMIT_EXCEEDED", `Cannot append: ${detail}`);
  }
  return { texts, size };
}

/** Rejects a waiting append as soon as its signal aborts; one that has started completes. */
function abortable(append: PendingAppend, signal: AbortSignal): PendingAppend {
  const onAbort = (): void => {
    if (guarded.started) return;
    guarded.cancelled = true;
    append.reject(signal.reason);
  };
  const settle = <T>(settlePlain: (value: T) => void): ((value: T) => void) => {
    return (value) => {
      signal.removeEventListener("abort", onAbort);
      settlePlain(value);
    };
  };
  const guarded: PendingAppend = {
    ...append,
    resolve: settle(append.resolve),
    reject: settle(append.reject),
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return guarded;
}

function describe(store: RecordStore): Capabilities {
  const declared = store.capabilities;
  return Object.freeze({
    ...declared,
    kit: 1,
    limits: Object.freeze({
      maxEventBytes: Math.min(declared.limits.maxEventBytes, limits.maxEventBytes),
      maxBatchEvents: Math.min(declared.limits.maxBatchEvents, limits.maxBatchEvents),
      maxSessionIdBytes: limits.maxSessionIdBytes,
    }),
    range: true,
    headToken: declared.headToken ?? true,
    listPage: true,
    tail: store.watch === undefined ? "poll" : "push",
    fork: true,
    verify: true,
    repair: store.repair !== undefined,
  });
}
