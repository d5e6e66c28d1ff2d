import { acknowledged, mayBeApplied, type Batch } from "./batches.ts";
import { checkRealTime, type Sighting } from "./check-real-time.ts";
import type { Operation } from "./history.ts";
import { longestRead, orderOf, type BatchPlace, type LogOrder } from "./log-order.ts";
import type { Rule, Violation } from "./verdict.ts";

/**
 * Judges a session without truncate and delete in near-linear time. Every event is in the log once
 * and never moves, so a read of the whole log is the order of the appends, and each answer names the
 * state, between two appends, in which it was given. One order of operations explains all answers
 * exactly when no answer of a later state had ended before an operation of an earlier state began.
 * (That unique list elements give the order away is the insight of Elle: Kingsbury and Alvaro, 2020.)
 *
 * @param operations - of one session, each of them sound on its own (`checkAnswer`)
 * @returns undefined when the order is not known: nobody read the whole log after the last
 * acknowledged append, or appends with an unknown outcome may have landed behind what was read
 */
export function checkOrder(
  operations: readonly Operation[],
  batches: ReadonlyMap<string, Batch>,
): readonly Violation[] | undefined {
  const read = longestRead(operations);
  if (read === undefined) return undefined;
  const order = orderOf(read, batches);
  if ("rule" in order) return [order];

  const all = new Set(batches.values());
  const misplaced = [...all].flatMap((batch) => placeFault(batch, order) ?? []);
  if (misplaced.length > 0) return misplaced;

  const mayGrow = [...all].some(
    (batch) =>
      !order.places.has(batch) && batch.attempts.some(({ outcome }) => mayBeApplied(outcome)),
  );
  const faults: Violation[] = [];
  const sightings = [...order.places].map(([batch, place]) => landing(batch, place));
  for (const operation of operations) {
    const seen = sight(operation, order);
    if (seen === "nothing") continue;
    if (seen === "beyond" && mayGrow && !endsBefore(operation, read.operation)) return undefined;
    if (typeof seen === "string") faults.push(sightFault(operation, seen, order));
    else sightings.push(seen);
  }
  const replays = replayFaults(operations, batches, order);
  return [...faults, ...replays, ...checkRealTime(sightings, read.operation)];
}

const endsBefore = (one: Operation, other: Operation): boolean =>
  one.end !== null && one.end < other.start;

/** What is wrong with where a batch is, or with its absence. */
function placeFault(batch: Batch, { places, read }: LogOrder): Violation | undefined {
  const { sessionId } = read.operation;
  const place = places.get(batch);
  const id = batch.ids[0] ?? "";
  const found = (rule: Rule, operation: Operation, message: string): Violation => {
    return { rule, sessionId, operations: [operation, read.operation], message };
  };
  for (const attempt of acknowledged(batch)) {
    const { head } = attempt.outcome;
    if (place === undefined) {
      return found("H1", attempt, `The append of ${id} was acknowledged and is not in the log.`);
    }
    if (head === place.last) continue;
    return found(
      "H1",
      attempt,
      `The append of ${id} was told head ${head} and ends at seq ${place.last}.`,
    );
  }
  const [attempt] = batch.attempts;
  if (place === undefined || attempt === undefined || winners(batch, place).length > 0) {
    return undefined;
  }
  const message = `The append of ${id} insisted on head ${attempt.call.expectedHead} and stands at seq ${place.first}.`;
  return found("H4", attempt, message);
}

/** The attempts that can have put the batch where it is. */
function winners(batch: Batch, { first }: BatchPlace): readonly Operation[] {
  return batch.attempts.filter(
    ({ outcome, call }) =>
      mayBeApplied(outcome) && (call.expectedHead === undefined || call.expectedHead === first - 1),
  );
}

/** When a batch took effect: not before its first attempt began, not after the first answer. */
function landing(batch: Batch, place: BatchPlace): Sighting {
  const [first, ...others] = winners(batch, place);
  if (first === undefined)
    throw new RangeError("A batch in the log has an attempt that put it there");
  const begun = others.reduce((one, other) => (other.start < one.start ? other : one), first);
  const [answer, ...answers] = acknowledged(batch);
  const answered = answers.reduce(
    (one, other) => (one === undefined || other.end < one.end ? other : one),
    answer,
  );
  const level = 2 * place.state;
  return { begun, answered, lowest: level, highest: level };
}

/** Which states an answer can have been given in. */
function sight(operation: Operation, order: LogOrder): Sighting | "nothing" | "between" | "beyond" {
  const { call, outcome } = operation;
  const length = order.read.events.length;
  const at = (head: number): Sighting | "between" | "beyond" => {
    const state = order.stateOf.get(head);
    if (state === undefined) return head > length ? "beyond" : "between";
    const level = 2 * state + 1;
    return { begun: operation, answered: operation, lowest: level, highest: level };
  };
  if (outcome.status === "conflict") return at(outcome.actual);
  if (outcome.status !== "ok") return "nothing";
  if ("head" in outcome) {
    return call.method === "append" && call.ids.length > 0 ? "nothing" : at(outcome.head);
  }
  if (call.method !== "read" || !("events" in outcome)) return "nothing";
  const last = outcome.events.at(-1)?.seq;
  if (last === undefined) {
    const highest = 2 * lastStateUpTo(call.sinceSeq, order.ends) + 1;
    return { begun: operation, answered: operation, lowest: 1, highest };
  }
  const isRun = outcome.events.every(
    ({ seq, id }) => seq > length || order.read.events[seq - 1]?.id === id,
  );
  return isRun ? at(last) : "between";
}

/** The last state whose log is at most this long. */
function lastStateUpTo(length: number, ends: readonly number[]): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ends[middle] ?? Infinity) <= length) low = middle;
    else high = middle - 1;
  }
  return low;
}

function sightFault(
  operation: Operation,
  seen: "between" | "beyond",
  { read }: LogOrder,
): Violation {
  const { call, outcome, sessionId } = operation;
  const operations = operation === read.operation ? [operation] : [operation, read.operation];
  if (outcome.status === "conflict") {
    const message = `The conflict names head ${outcome.actual}, which the log never had.`;
    return { rule: "H7", sessionId, operations, message };
  }
  if (call.method === "read") {
    const message =
      seen === "between"
        ? "The read is not a run of the log that ends where an append ended."
        : "The read goes beyond the end of the log.";
    return { rule: "H5", sessionId, operations, message };
  }
  const head = "head" in outcome ? outcome.head : 0;
  const message = `It was told head ${head}, which the log never had.`;
  return { rule: "H6", sessionId, operations, message };
}

/** Retries under a key that had a conflict although the batch was in the log already. */
function replayFaults(
  operations: readonly Operation[],
  batches: ReadonlyMap<string, Batch>,
  { places, read }: LogOrder,
): readonly Violation[] {
  return operations.flatMap((operation) => {
    const { call, outcome, sessionId } = operation;
    if (outcome.status !== "conflict" || call.method !== "append") return [];
    if (call.idempotencyKey === undefined) return [];
    const batch = batches.get(call.ids[0] ?? "");
    const place = batch === undefined ? undefined : places.get(batch);
    if (batch === undefined || place === undefined || outcome.actual < place.first) return [];
    const message = `The key's batch was in the log at head ${outcome.actual}, so a retry has no conflict.`;
    const others = batch.attempts.filter((attempt) => attempt !== operation);
    return [{ rule: "H7", sessionId, operations: [...others, operation, read.operation], message }];
  });
}
