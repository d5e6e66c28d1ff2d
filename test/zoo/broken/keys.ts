// Stores that get idempotency keys wrong.

import { isCheckpointError, type Batch } from "../../../src/index.ts";
import { appending, committing, type HandleFault, type StoreFault } from "../faults.ts";
import { createRendezvous } from "../rendezvous.ts";

const withoutKey = ({ records }: Batch): Batch => ({ records });

export const ignoresKeys: StoreFault = () => (good) =>
  committing(good, (sessionId, change) =>
    good.commit(sessionId, { ...change, batches: change.batches.map(withoutKey) }),
  );

export const looksAtHeadBeforeKey: StoreFault = () => (good) =>
  committing(good, async (sessionId, change) => {
    const probe = await good.commit(sessionId, { ...change, batches: [] });
    return "conflict" in probe ? probe : good.commit(sessionId, change);
  });

/** Keeps keys in a table of its own, beside the records. */
const keyTable =
  (
    scope: "store" | "handle",
    tableKey: (sessionId: string, key: string) => string,
    createWindow: () => (name: string) => Promise<void> = () => async () => {},
  ): StoreFault =>
  () => {
    const window = createWindow();
    type Table = Map<string, { from: number; to: number; sessionId: string }>;
    const shared: Table = new Map();
    return (good) => {
      const table: Table = scope === "store" ? shared : new Map();
      const forget = (sessionId: string, above: number): void => {
        for (const [name, { sessionId: owner, to }] of table) {
          if (owner === sessionId && to > above) table.delete(name);
        }
      };
      return {
        ...committing(good, async (sessionId, change) => {
          for (const { key } of change.batches) {
            const known = key === undefined ? undefined : table.get(tableKey(sessionId, key));
            if (key !== undefined && known !== undefined) {
              return { duplicate: { key, from: known.from, to: known.to } };
            }
          }
          const keyed = change.batches.find(({ key }) => key !== undefined);
          if (keyed !== undefined) await window(tableKey(sessionId, keyed.key ?? ""));
          const batches = change.batches.map(withoutKey);
          const outcome = await good.commit(sessionId, { ...change, batches });
          if (!("head" in outcome)) return outcome;
          if (change.keep !== undefined) forget(sessionId, change.keep);
          let to = outcome.head?.seq ?? 0;
          for (const { key, records } of change.batches.toReversed()) {
            const from = to - records.length + 1;
            if (key !== undefined) table.set(tableKey(sessionId, key), { from, to, sessionId });
            to = from - 1;
          }
          return outcome;
        }),
        async delete(sessionId) {
          forget(sessionId, 0);
          await good.delete(sessionId);
        },
      };
    };
  };

const scoped = (sessionId: string, key: string): string => JSON.stringify([sessionId, key]);

export const keepsKeysInMemory: StoreFault = keyTable("handle", scoped);

export const writesKeysAfterwards: StoreFault = keyTable("store", scoped, createRendezvous);

export const keepsKeysOfCutBatches: StoreFault = () => {
  const keys = new Map<string, { from: number; to: number }>();
  return (good) => ({
    ...committing(good, async (sessionId, change) => {
      for (const { key } of change.batches) {
        const known = key === undefined ? undefined : keys.get(scoped(sessionId, key));
        const { seq = 0 } = (await good.head(sessionId)) ?? {};
        // The row of the key outlived its events, so it answers for whatever is there now.
        if (key !== undefined && known !== undefined && known.from <= seq) {
          return { duplicate: { key, from: known.from, to: Math.min(known.to, seq) } };
        }
      }
      const outcome = await good.commit(sessionId, change);
      if (!("head" in outcome)) return outcome;
      let to = outcome.head?.seq ?? 0;
      for (const { key, records } of change.batches.toReversed()) {
        const from = to - records.length + 1;
        if (key !== undefined) keys.set(scoped(sessionId, key), { from, to });
        to = from - 1;
      }
      return outcome;
    }),
    async delete(sessionId) {
      for (const name of keys.keys()) {
        if ((JSON.parse(name) as string[])[0] === sessionId) keys.delete(name);
      }
      await good.delete(sessionId);
    },
  });
};

/** The keys that appends were given, with the heads they returned. */
function keyOf(expected: unknown): string | undefined {
  if (typeof expected !== "object" || expected === null) return undefined;
  return (expected as { idempotencyKey?: string }).idempotencyKey;
}

export const sharesKeysAmongSessions: HandleFault = () => {
  const results = new Map<string, { readonly owner: string; readonly head: number }>();
  return (good) => ({
    ...appending(good, async (sessionId, events, expected) => {
      const key = keyOf(expected);
      const known = typeof key === "string" ? results.get(key) : undefined;
      if (known !== undefined && known.owner !== sessionId) return known.head;
      const head = await good.append(sessionId, events, expected);
      if (typeof key === "string" && events.length > 0)
        results.set(key, { owner: sessionId, head });
      return head;
    }),
    async delete(sessionId) {
      await good.delete(sessionId);
      for (const [key, { owner }] of results) if (owner === sessionId) results.delete(key);
    },
  });
};

export const ignoresEventsOfKnownKeys: HandleFault = () => {
  const results = new Map<string, number>();
  return (good) =>
    appending(good, async (sessionId, events, expected) => {
      const key = keyOf(expected);
      const name = typeof key === "string" ? JSON.stringify([sessionId, key]) : undefined;
      try {
        const head = await good.append(sessionId, events, expected);
        if (name !== undefined && events.length > 0) results.set(name, head);
        return head;
      } catch (error) {
        if (!isCheckpointError(error, "IDEMPOTENCY_MISMATCH")) throw error;
        return results.get(name ?? "") ?? good.head(sessionId);
      }
    });
};

/** Remembers keys of calls, whether or not something came of them. */
const burning =
  (burns: (events: readonly object[], failed: boolean) => boolean): HandleFault =>
  () => {
    const burnt = new Map<string, number>();
    return (good) =>
      appending(good, async (sessionId, events, expected) => {
        const key = keyOf(expected);
        const name = typeof key === "string" ? JSON.stringify([sessionId, key]) : undefined;
        const known = name === undefined ? undefined : burnt.get(name);
        if (known !== undefined) return known;
        const burn = async (failed: boolean): Promise<void> => {
          if (name !== undefined && burns(events, failed))
            burnt.set(name, await good.head(sessionId));
        };
        try {
          const head = await good.append(sessionId, events, expected);
          await burn(false);
          return head;
        } catch (error) {
          if (isCheckpointError(error, "CONFLICT")) await burn(true);
          throw error;
        }
      });
  };

export const burnsKeysOfNothing: HandleFault = burning(
  (events, failed) => !failed && events.length === 0,
);

export const burnsKeysOfConflicts: HandleFault = burning((_events, failed) => failed);
