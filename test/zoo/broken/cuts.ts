// Stores that truncate or delete wrongly.

import { pageSessions, type NewRecord, type StoredRecord } from "../../../src/index.ts";
import { committing, type HandleFault, type StoreFault } from "../faults.ts";
import { createRendezvous, pause } from "../rendezvous.ts";

const whole = { sinceSeq: 0, limit: Infinity, reverse: false } as const;

export const truncatesInPlace: StoreFault = () => (good) =>
  committing(good, async (sessionId, change) => {
    const head = change.keep === undefined ? null : await good.head(sessionId);
    if (change.keep === undefined || (head?.seq ?? 0) <= change.keep) {
      return good.commit(sessionId, change);
    }
    const kept: StoredRecord[] = [];
    for await (const page of good.read(sessionId, { ...whole, untilSeq: change.keep })) {
      kept.push(...page);
    }
    const outcome = await good.commit(sessionId, { ...change, keep: 0 });
    if (!("head" in outcome) || kept.length === 0) return outcome;
    await pause();
    return good.commit(sessionId, { base: null, batches: batchesOf(kept), mtime: change.mtime });
  });

/** Records grouped as they were appended, as far as keys tell. */
function batchesOf(records: readonly StoredRecord[]) {
  const batches: Array<{ key: string | undefined; records: NewRecord[] }> = [];
  for (const { key, ts, payload } of records) {
    const last = batches.at(-1);
    if (key !== undefined && last?.key === key) last.records.push({ ts, payload });
    else batches.push({ key, records: [{ ts, payload }] });
  }
  return batches;
}

export const keepsOneTooFew: StoreFault = () => (good) =>
  committing(good, async (sessionId, change) => {
    const { seq = 0 } = (await good.head(sessionId)) ?? {};
    if (change.keep === undefined || change.keep >= seq) return good.commit(sessionId, change);
    return good.commit(sessionId, { ...change, keep: Math.max(0, change.keep - 1) });
  });

export const removesWhatItEmpties: StoreFault = () => (good) =>
  committing(good, async (sessionId, change) => {
    const outcome = await good.commit(sessionId, change);
    if (change.keep !== 0 || !("head" in outcome)) return outcome;
    await good.delete(sessionId);
    return { head: null };
  });

export const createsWhatItTruncates: StoreFault = () => (good) =>
  committing(good, async (sessionId, change) => {
    const absent = (await good.head(sessionId)) === null;
    if (change.keep === undefined || !absent) return good.commit(sessionId, change);
    const answer = await good.commit(sessionId, change);
    if (!("head" in answer)) return answer;
    const records = [{ ts: new Date(0).toISOString(), payload: "{}" }];
    await good.commit(sessionId, { ...change, keep: undefined, batches: [{ records }] });
    return good.commit(sessionId, { ...change, base: null, keep: 0 });
  });

export const movesWhatItDoesNotCut: StoreFault = () => {
  const touched = new Map<string, number>();
  return (good) => ({
    ...good,
    async commit(sessionId, change) {
      const outcome = await good.commit(sessionId, change);
      const exists = "head" in outcome && outcome.head !== null;
      if (change.keep !== undefined && exists) touched.set(sessionId, change.mtime);
      else if ("head" in outcome && change.batches.length > 0) touched.delete(sessionId);
      return outcome;
    },
    async list(page) {
      const sessions = await good.list({ limit: Infinity, prefix: "" });
      const moved = sessions.map((info) => ({
        ...info,
        mtime: touched.get(info.id) ?? info.mtime,
      }));
      return pageSessions(moved, page);
    },
  });
};

export const ignoresExpectationOfTruncate: HandleFault = () => (good) => ({
  ...good,
  async truncate(sessionId, toSeq, expected) {
    try {
      await good.truncate(sessionId, toSeq, expected);
    } catch (error) {
      if ((error as { code?: string }).code !== "CONFLICT") throw error;
      await good.truncate(sessionId, toSeq);
    }
  },
});

export const keepsCutRows: StoreFault = () => {
  const cut = new Map<string, Map<number, string | Uint8Array>>();
  return (good) => ({
    ...committing(good, async (sessionId, change) => {
      const ghosts = cut.get(sessionId) ?? new Map<number, string | Uint8Array>();
      cut.set(sessionId, ghosts);
      const { seq = 0 } = (await good.head(sessionId)) ?? {};
      if (change.keep !== undefined && change.keep < seq) {
        const range = { ...whole, sinceSeq: change.keep, untilSeq: seq };
        for await (const page of good.read(sessionId, range)) {
          for (const record of page) ghosts.set(record.seq, record.payload);
        }
      }
      // INSERT OR IGNORE finds the rows that only the head had forgotten.
      let next = Math.min(seq, change.keep ?? seq);
      const batches = change.batches.map(({ key, records }) => ({
        key,
        records: records.map(({ ts, payload }) => {
          next += 1;
          return { ts, payload: ghosts.get(next) ?? payload };
        }),
      }));
      return good.commit(sessionId, { ...change, batches });
    }),
    async delete(sessionId) {
      cut.delete(sessionId);
      await good.delete(sessionId);
    },
  });
};

export const wipesOnGarbage: HandleFault = () => (good) => ({
  ...good,
  truncate(sessionId, toSeq, expected) {
    const garbage = typeof toSeq === "number" && !(toSeq >= 0);
    return good.truncate(sessionId, garbage ? 0 : toSeq, expected);
  },
});

export const deletesByPrefix: StoreFault = () => (good) => ({
  ...good,
  async delete(sessionId) {
    for (const { id } of await good.list({ limit: Infinity, prefix: sessionId })) {
      await good.delete(id);
    }
  },
});

export const leavesTheRow: StoreFault = () => (good) => ({
  ...good,
  async delete(sessionId) {
    const sessions = await good.list({ limit: Infinity, prefix: sessionId });
    const mtime = sessions.find(({ id }) => id === sessionId)?.mtime ?? 0;
    await good.commit(sessionId, { base: null, keep: 0, batches: [], mtime });
  },
});

export const deletesInTwoSteps: StoreFault = () => {
  const window = createRendezvous();
  return (good) => ({
    ...committing(good, async (sessionId, change) => {
      if (change.batches.length > 0) await window(sessionId);
      return good.commit(sessionId, change);
    }),
    async delete(sessionId) {
      const head = await good.head(sessionId);
      await window(sessionId);
      await pause();
      // The row goes by the length that was read first, so a later append keeps its place.
      const { seq = 0 } = (await good.head(sessionId)) ?? {};
      if (head === null || seq === head.seq) await good.delete(sessionId);
      else await dropFirst(head.seq);

      async function dropFirst(count: number): Promise<void> {
        const rest: NewRecord[] = [];
        const range = { ...whole, sinceSeq: count, untilSeq: seq };
        for await (const page of good.read(sessionId, range)) rest.push(...page);
        await good.delete(sessionId);
        const batches = [{ records: rest }];
        await good.commit(sessionId, { base: null, batches, mtime: Date.now() });
      }
    },
  });
};
