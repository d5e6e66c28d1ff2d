// Checkpointers whose followers miss, repeat or hold on to something.

import { CheckpointError } from "../../../src/index.ts";
import { pause } from "../rendezvous.ts";
import type { HandleFault, StoreFault } from "../faults.ts";
import { turn } from "../../../conformance/session-state.ts";

export const followsFromWhereverTheLogIs: HandleFault = () => (good) => ({
  ...good,
  async *tail(sessionId, options) {
    yield* good.read(sessionId, options);
    await turn();
    yield* good.tail(sessionId, { ...options, sinceSeq: await good.head(sessionId) });
  },
});

export const followsByNumberAlone: StoreFault = () => (good) => ({
  ...good,
  async head(sessionId) {
    const head = await good.head(sessionId);
    return head === null ? null : { ...head, generation: "g" };
  },
  commit: (sessionId, change) => {
    const base = change.base === null ? null : { seq: change.base.seq };
    return good.commit(sessionId, { ...change, base });
  },
  read: (sessionId, range) => good.read(sessionId, { ...range, generation: undefined }),
});

/** A hint is taken for the event itself, so one that comes while nobody waits is lost. */
export const losesWakeUps: HandleFault = () => {
  const waiting = new Set<() => void>();
  const wakeAll = (): void => {
    for (const wake of waiting) wake();
  };
  return (good) => ({
    ...good,
    append: (...given) => good.append(...given).finally(wakeAll),
    truncate: (...given) => good.truncate(...given).finally(wakeAll),
    delete: (...given) => good.delete(...given).finally(wakeAll),
    close: () => good.close().finally(wakeAll),
    async *tail(sessionId, options) {
      const { sinceSeq = 0, signal } = options ?? {};
      if (!isUsable(sinceSeq, signal, options)) {
        yield* good.tail(sessionId, options);
        return;
      }
      let delivered = sinceSeq;
      let generation: string | undefined;
      for (;;) {
        signal?.throwIfAborted();
        const [now = ""] = (await good.headToken(sessionId)).split(":");
        if ((generation ?? now) !== now) throw new CheckpointError("LOG_CHANGED", "Cannot follow");
        if (now !== "") generation = now;
        for await (const stored of good.read(sessionId, { sinceSeq: delivered, signal })) {
          delivered = stored.seq;
          yield stored;
        }
        await pause();
        await new Promise<void>((wake) => {
          waiting.add(wake);
          signal?.addEventListener("abort", () => wake(), { once: true });
        });
      }
    },
  });
};

function isUsable(sinceSeq: unknown, signal: unknown, options: unknown): boolean {
  const plain = options === undefined || (typeof options === "object" && !Array.isArray(options));
  const known = signal === undefined || signal instanceof AbortSignal;
  return plain && known && Number.isSafeInteger(sinceSeq) && (sinceSeq as number) >= 0;
}

export const endsFollowersSilently: HandleFault = () => (good) => ({
  ...good,
  async *tail(sessionId, options) {
    try {
      yield* good.tail(sessionId, options);
    } catch (error) {
      if (options?.signal?.aborted !== true) throw error;
    }
  },
});

export const endsFollowersOfChangedLogs: HandleFault = () => (good) => ({
  ...good,
  async *tail(sessionId, options) {
    try {
      yield* good.tail(sessionId, options);
    } catch (error) {
      if ((error as { code?: string }).code !== "LOG_CHANGED") throw error;
    }
  },
});

export const takesOddPlacesForTheStart: HandleFault = () => (good) => ({
  ...good,
  tail(sessionId, options) {
    const odd = options !== null && typeof options === "object" && !((options.sinceSeq ?? 0) >= 0);
    return good.tail(sessionId, odd ? { ...options, sinceSeq: 0 } : options);
  },
});
