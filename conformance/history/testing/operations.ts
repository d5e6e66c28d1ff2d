import type { Call, Operation, OperationOutcome } from "../history.ts";

/** An operation on session `s`; without an outcome it has no answer. */
export function operation(
  client: string,
  [start, end]: readonly [start: number, end: number],
  call: Call,
  outcome?: OperationOutcome,
): Operation {
  const answer = outcome ?? { status: "unknown" };
  return {
    client,
    sessionId: "s",
    call,
    start,
    end: outcome === undefined ? null : end,
    outcome: answer,
  };
}

/** An append of these ids, written apart by spaces. */
export function append(ids: string, expectedHead?: number, idempotencyKey?: string): Call {
  return { method: "append", ids: ids.split(" "), expectedHead, idempotencyKey };
}

/** A read of the whole log. */
export const read: Call = { method: "read", sinceSeq: 0 };

export const head: Call = { method: "head" };

/** The answer of an append or head. */
export function at(seq: number): OperationOutcome {
  return { status: "ok", head: seq };
}

/** The answer of a read of the whole log that shows these ids, written apart by spaces. */
export function shows(ids: string): OperationOutcome {
  const all = ids === "" ? [] : ids.split(" ");
  return { status: "ok", events: all.map((id, index) => ({ seq: index + 1, id })) };
}
