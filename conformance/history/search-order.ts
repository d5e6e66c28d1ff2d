import type { Operation } from "./history.ts";
import { applyOperation, emptyLog, type SessionLog } from "./session-log.ts";

/** Bounds of the search. */
export interface SearchLimits {
  /**
   * States that are visited without getting further. Default 100,000, which is about a second; the
   * search is exponential in the number of operations that overlap.
   */
  readonly visits?: number | undefined;
}

/** What the search found. */
export type SearchResult =
  | { readonly status: "valid" }
  /** No order works. The operations are those of which one had to be next where all orders ended. */
  | { readonly status: "invalid"; readonly operations: readonly Operation[] }
  /** Too many orders. The size is the largest number of operations that could be next at once. */
  | { readonly status: "undecided"; readonly size: number };

/**
 * Whether one order of a session's operations explains every answer: each takes effect at one moment
 * between its start and its end, one with an unknown outcome at one moment after its start, or never.
 *
 * This is the search of Wing and Gong (1993) with Lowe's memory of visited states (2017), as in the
 * checker Porcupine, with a shortcut: an observation that fits happens at once, since it changes
 * nothing and later would only hold others up.
 */
export function searchOrder(
  operations: readonly Operation[],
  { visits = 100_000 }: SearchLimits = {},
): SearchResult {
  const session = sessionOf(operations);
  const visited = new Set<string>();
  const start = settle(session, { log: emptyLog(), next: 0, ahead: 0n, used: 0n, count: 0 });
  const waiting = [start];
  let furthest = start;
  let idle = 0;
  let size = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at.next === session.answered.length) return { status: "valid" };
    const name = `${at.next} ${at.ahead} ${at.used} ${at.log.serial}`;
    if (visited.has(name)) continue;
    visited.add(name);
    idle += 1;
    if (at.count > furthest.count) {
      furthest = at;
      idle = 0;
    }
    const { answered, unknown } = candidates(session, at);
    size = Math.max(size, answered.length + unknown.length);
    if (idle > visits) return { status: "undecided", size };
    // The last one is tried first: what was answered before what is unknown.
    for (const index of [...answered, ...unknown].toReversed()) {
      const after = take(session, at, index);
      if (after !== undefined) waiting.push(settle(session, after));
    }
  }
  const stuck = candidates(session, furthest).answered;
  return { status: "invalid", operations: stuck.flatMap((index) => session.all[index] ?? []) };
}

/** Whether the operation changes no log. One that only happens to change nothing here is another matter. */
function observes({ call, outcome }: Operation): boolean {
  if (call.method === "read" || call.method === "head" || outcome.status === "conflict")
    return true;
  return call.method === "append" && call.ids.length === 0;
}

interface Session {
  /** First those that were answered, by start; then those with an unknown outcome. */
  readonly all: readonly Operation[];
  readonly answered: readonly Operation[];
  readonly unknown: readonly Operation[];
  /** For an unknown operation, the one that looks the same and is to be tried before it. */
  readonly twins: ReadonlyArray<number | undefined>;
}

/** A way in which everything so far can have happened. */
interface State {
  readonly log: SessionLog;
  /** The first answered operation that has not taken effect. */
  readonly next: number;
  /** Which ones after it have, as bits. */
  readonly ahead: bigint;
  /** Which unknown ones have, as bits. */
  readonly used: bigint;
  /** How many answered ones have. */
  readonly count: number;
}

const byStart = (one: Operation, other: Operation): number => one.start - other.start;

function has(bits: bigint, index: number): boolean {
  return ((bits >> BigInt(index)) & 1n) === 1n;
}

function sessionOf(operations: readonly Operation[]): Session {
  const answered = operations
    .filter(({ outcome }) => outcome.status === "ok" || outcome.status === "conflict")
    .sort(byStart);
  const firstSeen = new Map<string, number>();
  for (const { outcome } of answered) {
    if (!("events" in outcome)) continue;
    for (const { id } of outcome.events) {
      if (!firstSeen.has(id)) firstSeen.set(id, firstSeen.size);
    }
  }
  const place = ({ call }: Operation): number =>
    call.method === "append" ? (firstSeen.get(call.ids[0] ?? "") ?? Infinity) : Infinity;
  const unknown = operations
    .filter(({ call, outcome }) => {
      return outcome.status === "unknown" && call.method !== "read" && call.method !== "head";
    })
    .sort((one, other) => {
      const [first, second] = [place(one), place(other)];
      return first === second ? byStart(one, other) : first - second;
    });
  const twins = twinsOf(unknown, new Set(firstSeen.keys()));
  return { all: [...answered, ...unknown], answered, unknown, twins };
}

/**
 * For each unknown append that nobody saw and that insists on nothing, the one before it with as many
 * events: any order of the two looks the same, so only one needs to be tried.
 */
function twinsOf(
  unknown: readonly Operation[],
  seen: ReadonlySet<string>,
): ReadonlyArray<number | undefined> {
  const lastOfLength = new Map<number, number>();
  return unknown.map(({ call }, index) => {
    if (call.method !== "append" || call.ids.some((id) => seen.has(id))) return undefined;
    if (call.expectedHead !== undefined || call.idempotencyKey !== undefined) return undefined;
    const twin = lastOfLength.get(call.ids.length);
    lastOfLength.set(call.ids.length, index);
    return twin;
  });
}

/** The operations that can be next in real time, as indexes of all. */
function candidates(
  { answered, unknown, twins }: Session,
  { next, ahead, used }: State,
): { answered: number[]; unknown: number[] } {
  const found: number[] = [];
  let firstEnd = Infinity;
  for (let index = next; index < answered.length; index += 1) {
    const operation = answered[index];
    if (operation === undefined || operation.start > firstEnd) break;
    if (index > next && has(ahead, index - next)) continue;
    firstEnd = Math.min(firstEnd, operation.end ?? Infinity);
    found.push(index);
  }
  const open: number[] = [];
  for (const [index, { start }] of unknown.entries()) {
    const twin = twins[index];
    if (start > firstEnd || has(used, index)) continue;
    if (twin === undefined || has(used, twin)) open.push(answered.length + index);
  }
  return { answered: found, unknown: open };
}

/** The state after an operation; undefined when its answer does not fit. */
function take({ all, answered }: Session, at: State, index: number): State | undefined {
  const operation = all[index];
  const log = operation === undefined ? undefined : applyOperation(operation, at.log);
  if (log === undefined) return undefined;
  if (index < answered.length) return { ...markDone(at, index), log };
  // Without a change, not to have happened is the same and leaves more open.
  if (log === at.log) return undefined;
  return { ...at, log, used: at.used | (1n << BigInt(index - answered.length)) };
}

function markDone(at: State, index: number): State {
  let { next } = at;
  let ahead = at.ahead | (1n << BigInt(index - next));
  while ((ahead & 1n) === 1n) {
    ahead >>= 1n;
    next += 1;
  }
  return { ...at, next, ahead, count: at.count + 1 };
}

/** Lets every observation happen that can be next and fits. */
function settle(session: Session, from: State): State {
  let at = from;
  for (let before: State | undefined; before !== at;) {
    before = at;
    for (const index of candidates(session, at).answered) {
      const operation = session.all[index];
      const after = operation !== undefined && observes(operation) ? take(session, at, index) : at;
      at = after ?? at;
    }
  }
  return at;
}
