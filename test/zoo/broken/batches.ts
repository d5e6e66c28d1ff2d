// Stores that do something else with a batch than to append it whole, once and in order.

import type { NewRecord } from "../../../src/index.ts";
import { appending, committing, type HandleFault, type StoreFault } from "../faults.ts";
import { createRendezvous, pause } from "../rendezvous.ts";
import { turn } from "../../../conformance/session-state.ts";

export const writesRecordByRecord: StoreFault = () => (good) =>
  committing(good, async (sessionId, change) => {
    const [batch] = change.batches;
    if (change.batches.length !== 1 || batch === undefined || batch.key !== undefined) {
      return good.commit(sessionId, change);
    }
    const [first, ...rest] = batch.records;
    let outcome = await good.commit(sessionId, { ...change, batches: [{ records: [first!] }] });
    if (!("head" in outcome)) return outcome;
    for (const record of rest) {
      await pause();
      const batches = [{ records: [record] }];
      outcome = await good.commit(sessionId, { base: null, batches, mtime: change.mtime });
    }
    return outcome;
  });

export const dropsWhenBusy: StoreFault = () => {
  const window = createRendezvous();
  let running = 0;
  return (good) =>
    committing(good, async (sessionId, change) => {
      running += 1;
      await window("any");
      const batches = running > 1 ? [] : change.batches;
      running -= 1;
      return good.commit(sessionId, { ...change, batches });
    });
};

/** Rows of a multi-row INSERT with 16 columns, of which a statement's parameters allow no more. */
const maxRows = 4_095;

export const cutsLargeBatches: StoreFault = () => (good) =>
  committing(good, (sessionId, change) => {
    const cut = ({
      key,
      records,
    }: {
      key?: string | undefined;
      records: readonly NewRecord[];
    }) => ({
      key,
      records: records.slice(0, maxRows),
    });
    return good.commit(sessionId, { ...change, batches: change.batches.map(cut) });
  });

export const dropsEqualEvents: HandleFault = () => (good) =>
  appending(good, (sessionId, events, expected) => {
    if (!Array.isArray(events)) return good.append(sessionId, events, expected);
    const seen = new Set<string>();
    const fresh = events.filter((event) => {
      const text = plainText(event);
      if (text === null) return true;
      return !seen.has(text) && seen.add(text);
    });
    return good.append(sessionId, fresh, expected);
  });

function plainText(event: unknown): string | null {
  try {
    return JSON.stringify(event) ?? null;
  } catch {
    return null;
  }
}

export const turnsBatchesRound: StoreFault = () => (good) =>
  committing(good, (sessionId, change) => {
    const batches = change.batches.map(({ key, records }) => ({
      key,
      records: records.toReversed(),
    }));
    return good.commit(sessionId, { ...change, batches });
  });

export const looksUpItsHeadAfterwards: HandleFault = () => (good) =>
  appending(good, async (sessionId, events, expected) => {
    const head = await good.append(sessionId, events, expected);
    if (events.length === 0) return head;
    await pause();
    return good.head(sessionId);
  });

export const looksAtEventsLate: HandleFault = () => (good) =>
  appending(good, async (sessionId, events, expected) => {
    await turn();
    return good.append(sessionId, events, expected);
  });

export const letsAppendsOvertake: HandleFault = () => (good) =>
  appending(good, async (sessionId, events, expected) => {
    const own = structuredCloneOrSame(events);
    for (let turns = own.length % 3; turns > 0; turns -= 1) await turn();
    return good.append(sessionId, own, expected);
  });

/** What cannot be cloned is left to the good checkpointer to refuse. */
function structuredCloneOrSame<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

export const failsTogether: HandleFault = () => (good) => {
  let group: Array<Promise<number>> = [];
  return appending(good, async (sessionId, events, expected) => {
    const own = group;
    const result = good.append(sessionId, events, expected);
    result.catch(() => undefined);
    own.push(result);
    await Promise.resolve();
    group = [];
    await Promise.all(own);
    return result;
  });
};

export const storesWhatJsonMakes: HandleFault = () => (good) =>
  appending(good, async (sessionId, events, expected) => {
    const text = plainText(events);
    const copies = text === null ? events : (JSON.parse(text) as object[]);
    return good.append(sessionId, copies, expected);
  });

export const ignoresAbort: HandleFault = () => (good) =>
  appending(good, (sessionId, events, expected) => {
    if (typeof expected !== "object" || expected === null) {
      return good.append(sessionId, events, expected);
    }
    return good.append(sessionId, events, { ...expected, signal: undefined });
  });
