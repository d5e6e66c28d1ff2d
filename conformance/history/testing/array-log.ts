import type { Call, Operation, OperationOutcome } from "../history.ts";

/** A session in the most obvious form, to be judged against: an array that is changed in place. */
export interface ArrayLog {
  events: string[];
  /** Where the batch of a key ends. */
  keys: Map<string, number>;
}

/** An empty session. */
export function arrayLog(): ArrayLog {
  return { events: [], keys: new Map() };
}

/** A copy that can be changed. */
function copyLog({ events, keys }: ArrayLog): ArrayLog {
  return { events: [...events], keys: new Map(keys) };
}

/** Does what is called, at once, and gives the answer. */
export function perform(log: ArrayLog, call: Call): OperationOutcome {
  const actual = log.events.length;
  if (call.method === "head") return { status: "ok", head: actual };
  if (call.method === "read") {
    const ids = log.events.slice(call.sinceSeq);
    const events = ids.map((id, index) => ({ seq: call.sinceSeq + 1 + index, id }));
    return { status: "ok", events };
  }
  if (call.method === "delete") {
    log.events = [];
    log.keys.clear();
    return { status: "ok" };
  }
  const key = call.method === "append" && call.ids.length > 0 ? call.idempotencyKey : undefined;
  const known = key === undefined ? undefined : log.keys.get(key);
  if (known !== undefined) return { status: "ok", head: known };
  const { expectedHead: expected } = call;
  if (expected !== undefined && expected !== actual)
    return { status: "conflict", expected, actual };
  if (call.method === "truncate") {
    log.events = log.events.slice(0, call.toSeq);
    for (const [name, end] of log.keys) if (end > call.toSeq) log.keys.delete(name);
    return { status: "ok" };
  }
  log.events.push(...call.ids);
  if (key !== undefined) log.keys.set(key, log.events.length);
  return { status: "ok", head: log.events.length };
}

/**
 * Whether one order of a session's operations explains every answer, by trying all of them. For a
 * handful of operations.
 */
export function hasOrder(operations: readonly Operation[], log: ArrayLog = arrayLog()): boolean {
  const waiting = operations.filter(({ outcome }) => outcome.status !== "refused");
  const answered = waiting.filter(({ outcome }) => outcome.status !== "unknown");
  if (answered.length === 0) return true;
  return waiting.some((operation) => {
    const isLate = answered.some(({ end }) => end !== null && end < operation.start);
    if (isLate) return false;
    const after = copyLog(log);
    const outcome = perform(after, operation.call);
    const isUnknown = operation.outcome.status === "unknown";
    if (!isUnknown && JSON.stringify(outcome) !== JSON.stringify(operation.outcome)) return false;
    return hasOrder(
      waiting.filter((other) => other !== operation),
      after,
    );
  });
}
