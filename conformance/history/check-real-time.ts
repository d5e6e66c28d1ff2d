import type { Operation } from "./history.ts";
import type { Rule, Violation } from "./verdict.ts";

/**
 * Something that happened in one of some neighbouring states of a log. An append that makes state s
 * has level 2s, and what is seen in state s has level 2s + 1.
 */
export interface Sighting {
  /** It happened after this operation began, */
  readonly begun: Operation;
  /** and before this one ended; undefined: at any time after. */
  readonly answered: Operation | undefined;
  readonly lowest: number;
  readonly highest: number;
}

/**
 * Finds what began after the end of something that belongs to a later state: at most one violation
 * a sighting. The time is that of two sorts.
 */
export function checkRealTime(
  sightings: readonly Sighting[],
  order: Operation,
): readonly Violation[] {
  const byStart = sightings.toSorted((one, other) => one.begun.start - other.begun.start);
  const byEnd = sightings
    .filter((sighting) => endOf(sighting) < Infinity)
    .sort((one, other) => endOf(one) - endOf(other));
  const found: Violation[] = [];
  let ended = 0;
  let highest: Sighting | undefined;
  for (const later of byStart) {
    for (; ended < byEnd.length; ended += 1) {
      const earlier = byEnd[ended];
      if (earlier === undefined || endOf(earlier) >= later.begun.start) break;
      if (highest === undefined || earlier.lowest > highest.lowest) highest = earlier;
    }
    if (highest !== undefined && highest.lowest > later.highest) {
      found.push(violationOf(highest, later, order));
    }
  }
  return found;
}

function endOf({ answered }: Sighting): number {
  return answered?.end ?? Infinity;
}

function violationOf(earlier: Sighting, later: Sighting, order: Operation): Violation {
  const before = earlier.answered ?? earlier.begun;
  const after = later.begun;
  const operations = [...new Set([before, after, order])];
  return { ...reasonOf(before, after), sessionId: after.sessionId, operations };
}

function reasonOf(before: Operation, after: Operation): { rule: Rule; message: string } {
  if (after.outcome.status === "conflict") {
    const { actual } = after.outcome;
    return {
      rule: "H7",
      message: `The conflict names head ${actual}, which was gone before the call.`,
    };
  }
  if (before.outcome.status === "conflict") {
    const { actual } = before.outcome;
    return {
      rule: "H7",
      message: `The conflict names head ${actual}, which came only after the call.`,
    };
  }
  if (before.client === after.client) {
    return { rule: "H8", message: `For ${after.client} the log went back.` };
  }
  return {
    rule: "H6",
    message: `${after.client} began after ${before.client} had its answer, and contradicts it.`,
  };
}
