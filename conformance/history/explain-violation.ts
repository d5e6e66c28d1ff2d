import { mayBeApplied } from "./batches.ts";
import { checkHistory } from "./check-history.ts";
import type { History, Operation } from "./history.ts";
import { printOperations } from "./print-operations.ts";
import type { SearchLimits } from "./search-order.ts";
import type { Violation } from "./verdict.ts";

/** Why a history is wrong, with as few operations as possible. */
export interface Explanation {
  /** The violation as the operations below still show it. */
  readonly violation: Violation;
  /**
   * The operations that contradict each other, by start. If any one of them had not been answered,
   * the rule would hold, or it would take long to say.
   */
  readonly operations: readonly Operation[];
  /** Changes whose answers do not matter: the same rule is broken whether they were applied or not. */
  readonly background: readonly Operation[];
  /** All this in words. */
  readonly lines: readonly string[];
}

/**
 * Finds the few operations that a violation comes from. Observations are left out, and changes lose
 * their answer, as if their client had died, for as long as the same rule stays broken. A change is
 * not left out while it can matter, so nothing looks wrong only because something is missing.
 *
 * @param violation - one that `checkHistory` found in this history with these limits
 */
export function explainViolation(
  history: History,
  violation: Violation,
  searchLimits: SearchLimits = {},
): Explanation {
  const session = history.operations.filter(({ sessionId }) => sessionId === violation.sessionId);
  // Only that one rule is found by a search. Without answers some histories have very many orders,
  // and then it is better to show an operation too many than to wait.
  const small: SearchLimits = { visits: violation.rule === "linearizability" ? 500 : 0 };
  const judge = (kept: readonly Operation[], limits: SearchLimits = small): Finding | undefined => {
    const weakened = weaken(session, new Set(kept));
    const operations = [...weakened.keys()];
    const { violations } = checkHistory({ operations }, limits);
    const found = violations.find(({ rule }) => rule === violation.rule);
    return found === undefined ? undefined : { violation: found, kept, weakened };
  };
  const first = judge(violation.operations) ?? judge(session, searchLimits);
  if (first === undefined) throw new RangeError("The history does not have this violation");
  const { violation: left, kept, weakened } = shrink(first, judge);

  const named = left.operations.flatMap((operation) => weakened.get(operation) ?? []);
  const operations = [...new Set([...kept, ...named])].sort(
    (one, other) => one.start - other.start,
  );
  const background = [...new Set(weakened.values())].filter(
    (operation) => !operations.includes(operation),
  );
  const lines = [
    `${left.rule} in session ${JSON.stringify(left.sessionId)}: ${left.message}`,
    ...printOperations(operations).map((line) => `  ${line}`),
    ...(background.length === 0
      ? []
      : [`  Beside ${background.length} other changes, which may have been applied or not.`]),
  ];
  return { violation: left, operations, background, lines };
}

/** A violation that is still there when all but some operations are weakened. */
interface Finding {
  readonly violation: Violation;
  readonly kept: readonly Operation[];
  /** The weakened operations, and what each was. */
  readonly weakened: ReadonlyMap<Operation, Operation>;
}

/** Weakens ever smaller pieces until nothing more can go. */
function shrink(
  from: Finding,
  judge: (kept: readonly Operation[]) => Finding | undefined,
): Finding {
  let best = from;
  for (let size = Math.ceil(best.kept.length / 2), before = Infinity; size > 0;) {
    for (let at = 0; at < best.kept.length;) {
      const smaller = judge(best.kept.toSpliced(at, size));
      if (smaller === undefined) at += size;
      else best = smaller;
    }
    if (size === 1 && best.kept.length === before) break;
    before = best.kept.length;
    size = Math.ceil(size / 2);
  }
  return best;
}

/** The same session with all but some operations weakened or left out. */
function weaken(
  session: readonly Operation[],
  kept: ReadonlySet<Operation>,
): ReadonlyMap<Operation, Operation> {
  const seen = new Set<string>();
  let lastEnd = -Infinity;
  for (const { outcome, end } of kept) {
    lastEnd = Math.max(lastEnd, end ?? lastEnd);
    if ("events" in outcome) for (const { id } of outcome.events) seen.add(id);
  }
  const weakened = new Map<Operation, Operation>();
  for (const operation of session) {
    if (kept.has(operation)) weakened.set(operation, operation);
    else if (matters(operation, lastEnd, seen)) {
      weakened.set({ ...operation, end: null, outcome: { status: "unknown" } }, operation);
    }
  }
  return weakened;
}

/** Whether an operation without its answer could still explain what others were told. */
function matters(
  { call, outcome, start }: Operation,
  lastEnd: number,
  seen: ReadonlySet<string>,
): boolean {
  if (call.method === "read" || call.method === "head" || !mayBeApplied(outcome)) return false;
  if (call.method !== "append") return start <= lastEnd;
  return call.ids.length > 0 && (start <= lastEnd || call.ids.some((id) => seen.has(id)));
}
