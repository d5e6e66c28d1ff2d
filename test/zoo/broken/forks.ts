// Checkpointers that fork wrongly.

import { isCheckpointError } from "../../../src/index.ts";
import { collect } from "../../../conformance/collect.ts";
import type { Handle } from "../../../conformance/session-state.ts";
import type { HandleFault } from "../faults.ts";

export const forksByAppending: HandleFault = () => (good) => ({
  ...good,
  async fork(sourceId, atSeq, targetId) {
    const stored = await collect(good.read(sourceId, { untilSeq: atSeq }));
    return good.append(
      targetId,
      stored.map(({ event }) => event),
      0,
    );
  },
});

export const forksOverTheTarget: HandleFault = () => (good) => ({
  ...good,
  async fork(sourceId, atSeq, targetId) {
    try {
      return await good.fork(sourceId, atSeq, targetId);
    } catch (error) {
      if (!isCheckpointError(error, "CONFLICT") || sourceId === targetId) throw error;
      await good.delete(targetId);
      return good.fork(sourceId, atSeq, targetId);
    }
  },
});

/** A fork is a name for its source until somebody appends to the fork. */
export const forksByReference: HandleFault = () => {
  const sources = new Map<string, { sourceId: string; atSeq: number }>();
  return (good) => {
    const broken: Handle = {
      ...good,
      async fork(sourceId, atSeq, targetId) {
        const head = await good.fork(sourceId, atSeq, targetId);
        sources.set(targetId, { sourceId, atSeq });
        return head;
      },
      async append(sessionId, events, expected) {
        const head = await good.append(sessionId, events, expected);
        if (head > 0) sources.delete(sessionId);
        return head;
      },
      async delete(sessionId) {
        sources.delete(sessionId);
        await good.delete(sessionId);
      },
      async *read(sessionId, options) {
        const source = sources.get(sessionId);
        if (source === undefined) {
          yield* good.read(sessionId, options);
          return;
        }
        const { untilSeq = source.atSeq } = options ?? {};
        const range = { ...options, untilSeq: Math.min(untilSeq, source.atSeq) };
        for await (const stored of good.read(source.sourceId, range))
          yield { ...stored, sessionId };
      },
    };
    return broken;
  };
};
