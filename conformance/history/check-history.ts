import { batchesById } from "./batches.ts";
import { checkAnswer } from "./check-answer.ts";
import { checkOrder } from "./check-order.ts";
import type { History, Operation } from "./history.ts";
import { searchOrder, type SearchLimits } from "./search-order.ts";
import type { Undecided, Verdict, Violation } from "./verdict.ts";

/**
 * Judges whether a log store can have acted as recorded: whether every session was one log that each
 * operation saw and changed at one moment between its start and its end. See `Rule` for what can be
 * broken. Sessions are judged one by one, since a session is a world of its own.
 *
 * A session that is never truncated or deleted takes near-linear time when somebody read all of it
 * after its last acknowledged append, as `HistoryRecorder.finish` does. Any other goes through
 * `searchOrder`, which gives up on too many operations at once: `"undecided"` is not a pass.
 *
 * @param history - from a recorder, or from outside through `parseHistory`
 */
export function checkHistory(history: History, searchLimits: SearchLimits = {}): Verdict {
  const violations: Violation[] = [];
  const undecided: Undecided[] = [];
  for (const [sessionId, operations] of sessionsOf(history)) {
    const found = checkSession(sessionId, operations, searchLimits);
    if ("size" in found) undecided.push(found);
    else violations.push(...found);
  }
  const unjudged = undecided.length > 0 ? "undecided" : "valid";
  return { status: violations.length > 0 ? "invalid" : unjudged, violations, undecided };
}

function sessionsOf({ operations }: History): ReadonlyMap<string, readonly Operation[]> {
  const sessions = new Map<string, Operation[]>();
  for (const operation of operations) {
    const session = sessions.get(operation.sessionId);
    if (session === undefined) sessions.set(operation.sessionId, [operation]);
    else session.push(operation);
  }
  return sessions;
}

function checkSession(
  sessionId: string,
  operations: readonly Operation[],
  searchLimits: SearchLimits,
): readonly Violation[] | Undecided {
  const batches = batchesById(operations);
  const unsound = operations.flatMap((operation) => checkAnswer(operation, batches) ?? []);
  if (unsound.length > 0) return unsound;
  const found = operations.some(shortens) ? undefined : checkOrder(operations, batches);
  if (found !== undefined) return found;
  const result = searchOrder(operations, searchLimits);
  if (result.status === "valid") return [];
  if (result.status === "undecided") {
    const { size } = result;
    const message = `Too many orders to try: ${size} operations could be next at once.`;
    return { sessionId, size, message };
  }
  const message =
    "No order of the operations explains every answer; nothing fits behind one of these.";
  return [{ rule: "linearizability", sessionId, operations: result.operations, message }];
}

function shortens({ call, outcome }: Operation): boolean {
  if (call.method !== "truncate" && call.method !== "delete") return false;
  return outcome.status === "ok" || outcome.status === "unknown";
}
