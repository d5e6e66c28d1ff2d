import type { Operation } from "./history.ts";

/** A log, as a chain from its last event to its first. Two equal logs are the same object. */
export interface SessionLog {
  readonly length: number;
  /** Id of the last event; null when empty. */
  readonly id: string | null;
  /** The log without its last event; null when empty. */
  readonly before: SessionLog | null;
  /** A number of its own. */
  readonly serial: number;
  /** This log with one event more, by that event's id. */
  readonly longer: Map<string, SessionLog>;
  readonly root: LogRoot;
}

/** What all logs that grew from one empty log share. */
interface LogRoot {
  empty: SessionLog | null;
  serials: number;
}

/** An empty log, or an absent one, which nobody can tell apart by what histories record. */
export function emptyLog(): SessionLog {
  const root: LogRoot = { empty: null, serials: 0 };
  const log = { length: 0, id: null, before: null, serial: 0, longer: new Map(), root };
  root.empty = log;
  return log;
}

/**
 * What `log` becomes when the operation takes effect on it with its outcome; undefined when it would
 * have had another outcome. One with an unknown outcome has the effect of a success.
 */
export function applyOperation(operation: Operation, log: SessionLog): SessionLog | undefined {
  const { call, outcome } = operation;
  if (outcome.status === "refused") return log;
  switch (call.method) {
    case "head":
      return headIs(outcome, log.length) ? log : undefined;
    case "read":
      return !("events" in outcome) || showsLog(outcome.events, call.sinceSeq, log)
        ? log
        : undefined;
    case "delete":
      return log.root.empty ?? undefined;
    case "truncate":
      if (!isConsistent(call.expectedHead, outcome, log)) return undefined;
      return outcome.status === "conflict" ? log : prefix(log, call.toSeq);
    case "append": {
      const known = call.idempotencyKey === undefined ? undefined : findEnd(call.ids.at(-1), log);
      if (known !== undefined) {
        return outcome.status !== "conflict" && headIs(outcome, known.length) ? log : undefined;
      }
      if (!isConsistent(call.expectedHead, outcome, log)) return undefined;
      if (outcome.status === "conflict") return log;
      const after = call.ids.reduce(extend, log);
      return headIs(outcome, after.length) ? after : undefined;
    }
  }
}

type Outcome = Operation["outcome"];

function headIs(outcome: Outcome, head: number): boolean {
  return !("head" in outcome) || outcome.head === head;
}

/** Whether a change with this expectation has a conflict on `log` exactly when the outcome is one. */
function isConsistent(
  expectedHead: number | undefined,
  outcome: Outcome,
  { length }: SessionLog,
): boolean {
  const isMet = expectedHead === undefined || expectedHead === length;
  return outcome.status === "conflict" ? !isMet && outcome.actual === length : isMet;
}

function extend(log: SessionLog, id: string): SessionLog {
  const known = log.longer.get(id);
  if (known !== undefined) return known;
  const serial = (log.root.serials += 1);
  const { root } = log;
  const after = { length: log.length + 1, id, before: log, serial, longer: new Map(), root };
  log.longer.set(id, after);
  return after;
}

function prefix(log: SessionLog, length: number): SessionLog {
  let kept = log;
  while (kept.length > length && kept.before !== null) kept = kept.before;
  return kept;
}

/**
 * The log up to the event with this id, the last one of a batch. A cut takes events from the end, so
 * a batch whose last event is there is whole, and its key is alive.
 */
function findEnd(id: string | undefined, log: SessionLog): SessionLog | undefined {
  if (id === undefined) return undefined;
  for (let at: SessionLog | null = log; at !== null; at = at.before) {
    if (at.id === id) return at;
  }
  return undefined;
}

function showsLog(
  events: ReadonlyArray<{ readonly id: string }>,
  sinceSeq: number,
  log: SessionLog,
): boolean {
  if (events.length !== Math.max(0, log.length - sinceSeq)) return false;
  let at: SessionLog | null = log;
  for (const { id } of events.toReversed()) {
    if (at === null || at.id !== id) return false;
    at = at.before;
  }
  return true;
}
