// Stores that compare the expected head wrongly, or at the wrong moment.

import {
  CheckpointConflictError,
  type CheckpointError,
  isCheckpointError,
  matchesBase,
  type LogHead,
} from "../../../src/index.ts";
import { appending, committing, type HandleFault, type StoreFault } from "../faults.ts";
import { createRendezvous } from "../rendezvous.ts";

export const checksThenWrites: StoreFault = () => {
  const window = createRendezvous();
  return (good) =>
    committing(good, async (sessionId, change) => {
      if (!matchesBase(await good.head(sessionId), change.base)) {
        return good.commit(sessionId, change);
      }
      await window(sessionId);
      return good.commit(sessionId, { ...change, base: null });
    });
};

export const doesNothingOnConflict: StoreFault = () => {
  const window = createRendezvous();
  return (good) =>
    committing(good, async (sessionId, change) => {
      const head = await good.head(sessionId);
      const added = change.batches.reduce((sum, { records }) => sum + records.length, 0);
      if (change.keep !== undefined || added === 0 || !matchesBase(head, change.base)) {
        return good.commit(sessionId, change);
      }
      await window(sessionId);
      const { seq = 0, generation = "" } = head ?? {};
      const outcome = await good.commit(sessionId, { ...change, base: { seq, generation } });
      if (!("conflict" in outcome)) return outcome;
      return { head: { seq: seq + added, generation: generation || "-", tail: null } };
    });
};

/** Checks an expectation against a head that need not be the actual one. */
const trusting =
  (
    remember: (own: LogHead | null | undefined, actual: LogHead | null) => LogHead | null,
  ): StoreFault =>
  () =>
  (good) => {
    const heads = new Map<string, LogHead | null>();
    return {
      ...committing(good, async (sessionId, change) => {
        const head = remember(heads.get(sessionId), await good.head(sessionId));
        if (!matchesBase(head, change.base)) {
          const answer = await good.commit(sessionId, change);
          return "duplicate" in answer ? answer : { conflict: head };
        }
        const outcome = await good.commit(sessionId, { ...change, base: null });
        if ("head" in outcome) heads.set(sessionId, outcome.head);
        return outcome;
      }),
      async delete(sessionId) {
        heads.delete(sessionId);
        await good.delete(sessionId);
      },
    };
  };

export const trustsOwnHead: StoreFault = trusting((own, actual) => own ?? actual);

export const trustsHighestHead: StoreFault = trusting((own, actual) =>
  (own?.seq ?? 0) > (actual?.seq ?? 0) ? (own ?? null) : actual,
);

export const takesZeroForNone: StoreFault = () => (good) =>
  committing(good, (sessionId, change) =>
    good.commit(sessionId, { ...change, base: change.base?.seq ? change.base : null }),
  );

export const acceptsLowerHead: StoreFault = () => (good) =>
  committing(good, async (sessionId, change) => {
    const outcome = await good.commit(sessionId, change);
    const { base } = change;
    if (!("conflict" in outcome) || base === null) return outcome;
    if (base.seq >= (outcome.conflict?.seq ?? 0)) return outcome;
    return good.commit(sessionId, { ...change, base: null });
  });

export const ignoresGenerations: StoreFault = () => (good) =>
  committing(good, (sessionId, change) => {
    const base = change.base === null ? null : { seq: change.base.seq };
    return good.commit(sessionId, { ...change, base });
  });

export const insistsUnasked: StoreFault = () => {
  const window = createRendezvous();
  return (good) =>
    committing(good, async (sessionId, change) => {
      if (change.base !== null || change.keep !== undefined) return good.commit(sessionId, change);
      const { seq = 0 } = (await good.head(sessionId)) ?? {};
      await window(sessionId);
      return good.commit(sessionId, { ...change, base: { seq } });
    });
};

export const reportsExpectationAsActual: StoreFault = () => (good) =>
  committing(good, async (sessionId, change) => {
    const outcome = await good.commit(sessionId, change);
    if (!("conflict" in outcome) || change.base === null) return outcome;
    const { seq, generation = "-" } = change.base;
    return { conflict: { seq, generation, tail: null } };
  });

export const reportsRememberedActual: StoreFault = () => (good) => {
  const heads = new Map<string, LogHead | null>();
  return committing(good, async (sessionId, change) => {
    const outcome = await good.commit(sessionId, change);
    if ("head" in outcome) heads.set(sessionId, outcome.head);
    if (!("conflict" in outcome)) return outcome;
    return { conflict: heads.get(sessionId) ?? outcome.conflict };
  });
};

export const movesWhatItRefuses: StoreFault = () => {
  const touched = new Map<string, number>();
  return (good) => ({
    ...good,
    async commit(sessionId, change) {
      const outcome = await good.commit(sessionId, change);
      if ("conflict" in outcome) touched.set(sessionId, change.mtime);
      return outcome;
    },
    async list(page) {
      const sessions = await good.list(page);
      return sessions.map((info) => ({ ...info, mtime: touched.get(info.id) ?? info.mtime }));
    },
  });
};

export const retriesWithoutExpectation: HandleFault = () => (good) =>
  appending(good, async (sessionId, events, expected) => {
    try {
      return await good.append(sessionId, events, expected);
    } catch (error) {
      if (!isCheckpointError(error, "CONFLICT")) throw error;
      return good.append(sessionId, events);
    }
  });

export const rebasesWhenOvertaken: HandleFault = () => (good) =>
  appending(good, async (sessionId, events, expected) => {
    // Asked for beforehand and looked at afterwards, so that nothing but the rebase is wrong.
    const seen = good.head(sessionId).catch(() => null);
    try {
      return await good.append(sessionId, events, expected);
    } catch (error) {
      if (!isCheckpointError(error, "CONFLICT") || (await seen) !== expected) throw error;
      return good.append(sessionId, events);
    }
  });

export const conflictsWithPlainErrors: HandleFault = () => (good) =>
  appending(good, async (sessionId, events, expected) => {
    try {
      return await good.append(sessionId, events, expected);
    } catch (error) {
      if (!(error instanceof CheckpointConflictError)) throw error;
      throw new Error("duplicate key value violates unique constraint");
    }
  });

export const takesUndefinedForZero: HandleFault = () => (good) =>
  appending(good, (sessionId, events, expected) => {
    const given = typeof expected === "object" && expected !== null && "expectedHead" in expected;
    if (!given || expected.expectedHead !== undefined)
      return good.append(sessionId, events, expected);
    return good.append(sessionId, events, { ...expected, expectedHead: 0 });
  });

export const takesGarbageForNone: HandleFault = () => (good) =>
  appending(good, (sessionId, events, expected) => {
    if (typeof expected !== "number" || (Number.isSafeInteger(expected) && expected >= 0)) {
      return good.append(sessionId, events, expected);
    }
    return good.append(sessionId, events);
  });

/** Counts how many writers are inside, and lets `refuse` answer for every one but the first. */
const overlapping =
  (refuse: () => CheckpointError | Error | null): StoreFault =>
  () => {
    const window = createRendezvous();
    const inside = new Set<string>();
    return (good) =>
      committing(good, async (sessionId, change) => {
        if (inside.has(sessionId)) {
          await window(sessionId);
          const error = refuse();
          if (error !== null) throw error;
          return { conflict: await good.head(sessionId) };
        }
        inside.add(sessionId);
        try {
          await window(sessionId);
          return await good.commit(sessionId, change);
        } finally {
          inside.delete(sessionId);
        }
      });
  };

export const throwsDriverErrors: StoreFault = overlapping(() => new Error("SQLITE_BUSY"));

export const callsBusyConflict: StoreFault = overlapping(() => null);
