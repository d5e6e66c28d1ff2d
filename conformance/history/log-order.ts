import type { Batch } from "./batches.ts";
import type { Operation, StoredId } from "./history.ts";
import type { Rule, Violation } from "./verdict.ts";

/** The log of one session, as a read of all of it shows it. */
export interface LogOrder {
  readonly read: FullRead;
  /** The log after each append: 0 first, the whole length last. A place here is a state. */
  readonly ends: readonly number[];
  /** The state that each length is, if an append ended there. */
  readonly stateOf: ReadonlyMap<number, number>;
  readonly places: ReadonlyMap<Batch, BatchPlace>;
}

/** Where a batch is. */
export interface BatchPlace {
  /** Seq of its first event. */
  readonly first: number;
  /** Seq of its last event. */
  readonly last: number;
  /** The state that it made. */
  readonly state: number;
}

/** A read of a whole log. */
export interface FullRead {
  readonly operation: Operation;
  readonly events: readonly StoredId[];
}

/**
 * The longest read of the whole log, if one of them started after the last acknowledged append: then
 * the longest has every acknowledged event, or something is wrong.
 */
export function longestRead(operations: readonly Operation[]): FullRead | undefined {
  let settled = -Infinity;
  let latest = -Infinity;
  let longest: FullRead | undefined;
  for (const operation of operations) {
    const { call, outcome, start, end } = operation;
    if (outcome.status !== "ok") continue;
    if (call.method === "append" && call.ids.length > 0) settled = Math.max(settled, end ?? start);
    if (call.method !== "read" || call.sinceSeq > 0 || !("events" in outcome)) continue;
    latest = Math.max(latest, start);
    if (outcome.events.length >= (longest?.events.length ?? 0)) {
      longest = { operation, events: outcome.events };
    }
  }
  return latest > settled ? longest : undefined;
}

/** Divides the log into its batches; or says which batch is torn or there twice. */
export function orderOf(read: FullRead, batches: ReadonlyMap<string, Batch>): LogOrder | Violation {
  const ends = [0];
  const places = new Map<Batch, BatchPlace>();
  for (let at = 0; at < read.events.length;) {
    const id = read.events[at]?.id ?? "";
    const batch = batches.get(id);
    if (batch === undefined) throw new RangeError(`Nobody appended ${id}`);
    const isWhole = batch.ids.every((own, index) => read.events[at + index]?.id === own);
    if (!isWhole) return damaged(read, batch, `The append of ${id} is torn at seq ${at + 1}.`);
    if (places.has(batch)) return damaged(read, batch, `The append of ${id} is in the log twice.`);
    const last = at + batch.ids.length;
    places.set(batch, { first: at + 1, last, state: ends.length });
    ends.push(last);
    at = last;
  }
  return { read, ends, stateOf: new Map(ends.map((end, state) => [end, state])), places };
}

function damaged(read: FullRead, { attempts }: Batch, message: string): Violation {
  const { sessionId } = read.operation;
  const rule: Rule = attempts.some(({ outcome }) => outcome.status === "ok") ? "H1" : "H3";
  return { rule, sessionId, operations: [...attempts, read.operation], message };
}
