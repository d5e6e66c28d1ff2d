import type { AppendCall, Operation, OperationOutcome } from "./history.ts";

/** The events of one append, and every operation that tried to put them into the log. */
export interface Batch {
  readonly ids: readonly string[];
  /** One, or several that share an idempotency key. */
  readonly attempts: readonly Attempt[];
}

/** An append. */
type Attempt = Operation & { readonly call: AppendCall };

/** An append that was acknowledged. */
export type Acknowledged = Attempt & {
  readonly end: number;
  readonly outcome: Extract<OperationOutcome, { head: number }>;
};

/** The batches of one session, by each of their ids. Appends of nothing have none. */
export function batchesById(operations: readonly Operation[]): ReadonlyMap<string, Batch> {
  const batches = new Map<string, { ids: readonly string[]; attempts: Attempt[] }>();
  for (const operation of operations) {
    const [first] = isAppend(operation) ? operation.call.ids : [];
    if (!isAppend(operation) || first === undefined) continue;
    const batch = batches.get(first) ?? { ids: operation.call.ids, attempts: [] };
    batch.attempts.push(operation);
    for (const id of batch.ids) batches.set(id, batch);
  }
  return batches;
}

/** The attempts that were told that the batch is in the log. */
export function acknowledged(batch: Batch): readonly Acknowledged[] {
  return batch.attempts.filter(isAcknowledged);
}

/** Whether nothing can have put the batch into the log. */
export function isRefused(batch: Batch): boolean {
  return batch.attempts.every(({ outcome }) => !mayBeApplied(outcome));
}

/** Whether an operation with this outcome may have had, or may still have, an effect. */
export function mayBeApplied(outcome: OperationOutcome): boolean {
  return outcome.status === "ok" || outcome.status === "unknown";
}

function isAppend(operation: Operation): operation is Attempt {
  return operation.call.method === "append";
}

function isAcknowledged(attempt: Attempt): attempt is Acknowledged {
  return attempt.outcome.status === "ok";
}
