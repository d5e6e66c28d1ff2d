import { isRefused, type Batch } from "./batches.ts";
import type { AppendCall, Call, Operation, ReadCall, StoredId } from "./history.ts";
import type { Rule, Violation } from "./verdict.ts";

/** What is wrong with an answer whatever else happened in its session. */
export function checkAnswer(
  operation: Operation,
  batches: ReadonlyMap<string, Batch>,
): Violation | undefined {
  const { call, outcome, sessionId } = operation;
  const found = (rule: Rule, message: string, others: readonly Operation[] = []): Violation => {
    return { rule, sessionId, operations: [...others, operation], message };
  };
  if (outcome.status === "conflict") {
    const message = conflictFault(call, outcome);
    return message === undefined ? undefined : found("H7", message);
  }
  if (outcome.status !== "ok") return undefined;
  if (call.method === "append" && "head" in outcome) return headFault(call, outcome.head, found);
  if (call.method === "read" && "events" in outcome) {
    return readFault(call, outcome.events, batches, found);
  }
  return undefined;
}

type Found = (rule: Rule, message: string, others?: readonly Operation[]) => Violation;

function conflictFault(
  call: Call,
  { expected, actual }: { readonly expected: number; readonly actual: number },
): string | undefined {
  const asked = "expectedHead" in call ? call.expectedHead : undefined;
  if (asked === undefined) return "A change that insisted on nothing had a conflict.";
  if (asked !== expected) return `It insisted on head ${asked}, and the conflict says ${expected}.`;
  if (actual === expected)
    return `The conflict names the expected head ${actual} as the actual one.`;
  return undefined;
}

function headFault(call: AppendCall, head: number, found: Found): Violation | undefined {
  const { ids, expectedHead, idempotencyKey } = call;
  if (head < ids.length) {
    return found("H1", `Head ${head} is too small for a log that holds its ${ids.length} events.`);
  }
  // With a key the answer may be that of an earlier attempt, which stood elsewhere.
  const isReplay = idempotencyKey !== undefined && ids.length > 0;
  if (expectedHead === undefined || isReplay || head === expectedHead + ids.length)
    return undefined;
  const wanted = expectedHead + ids.length;
  return found(
    "H4",
    `It insisted on head ${expectedHead}, so it ends at ${wanted} and not ${head}.`,
  );
}

function readFault(
  { sinceSeq }: ReadCall,
  events: readonly StoredId[],
  batches: ReadonlyMap<string, Batch>,
  found: Found,
): Violation | undefined {
  const seen = new Set<string>();
  for (const [index, { seq, id }] of events.entries()) {
    const wanted = sinceSeq + 1 + index;
    if (seq !== wanted) return found("H5", `The read has seq ${seq} where seq ${wanted} belongs.`);
    const batch = batches.get(id);
    if (batch === undefined) return found("H5", `The read has ${id}, which nobody appended.`);
    if (isRefused(batch)) {
      return found("H2", `The append of ${id} was refused, and the read has it.`, batch.attempts);
    }
    // After a cut through its batch, a retry under its key may bring an id back beside its old self.
    const once = batch.attempts.every(({ call }) => call.idempotencyKey === undefined);
    if (once && seen.has(id)) {
      return found(twiceRule(batch), `The read has ${id} twice.`, batch.attempts);
    }
    seen.add(id);
  }
  return undefined;
}

function twiceRule({ attempts }: Batch): Rule {
  return attempts.some(({ outcome }) => outcome.status === "ok") ? "H1" : "H3";
}
