import type { AppendCall, History, Operation, OperationOutcome, StoredId } from "../history.ts";
import type { Random } from "./random.ts";

/** One session of a valid history whose last two operations are a read of all of it and its head. */
export interface Scene {
  readonly history: History;
  readonly operations: readonly Operation[];
  readonly random: Random;
  /** The last read. */
  readonly final: ReadOperation;
  readonly appends: readonly AppendOperation[];
  /** Appends that are in the final log, in its order; only where logs never get shorter. */
  readonly placed: readonly PlacedAppend[];
}

export type ReadOperation = Operation & {
  readonly outcome: { readonly events: readonly StoredId[] };
};
type AppendOperation = Operation & { readonly call: AppendCall };

/** An append in the final log. */
export interface PlacedAppend {
  readonly ids: readonly string[];
  /** Seq of its last event. */
  readonly last: number;
  readonly attempts: readonly AppendOperation[];
}

/** Looks at one session of a simulated history. */
export function sceneOf(history: History, sessionId: string, random: Random): Scene {
  const operations = history.operations.filter((operation) => operation.sessionId === sessionId);
  const final = operations.filter(isRead).at(-1);
  if (final === undefined) throw new RangeError("A simulated session ends with a read");
  const appends = operations.filter(isAppend).filter(({ call }) => call.ids.length > 0);
  const placed: PlacedAppend[] = [];
  for (const { id, seq } of final.outcome.events) {
    const attempts = appends.filter(({ call }) => call.ids.at(-1) === id);
    const ids = attempts[0]?.call.ids;
    if (ids !== undefined) placed.push({ ids, last: seq, attempts });
  }
  return { history, operations, random, final, appends, placed };
}

/** The history with some operations replaced. */
function replace({ history }: Scene, changed: ReadonlyMap<Operation, Operation>): History {
  return { operations: history.operations.map((operation) => changed.get(operation) ?? operation) };
}

/** The history with one operation changed. */
export function edit(scene: Scene, operation: Operation, change: Partial<Operation>): History {
  return replace(scene, new Map([[operation, { ...operation, ...change }]]));
}

/** The history with an operation that client `intruder` did just before the final read. */
export function insertBeforeFinal(
  scene: Scene,
  operation: Pick<Operation, "call" | "outcome">,
): History {
  const { sessionId, start } = scene.final;
  const moments = { start: start - 0.5, end: start - 0.25 };
  const inserted = { client: "intruder", sessionId, ...moments, ...operation };
  return { operations: [...scene.history.operations, inserted] };
}

/**
 * Rewrites what reads showed: each is what `change` makes of the log that it saw. Reads of logs that
 * only grow see a prefix of the final log.
 */
export function rewriteReads(
  scene: Scene,
  reads: readonly ReadOperation[],
  change: (ids: readonly string[]) => readonly string[],
): History {
  const order = scene.final.outcome.events.map(({ id }) => id);
  const changed = new Map<Operation, Operation>();
  for (const read of reads) {
    const { call, outcome } = read;
    const last = outcome.events.at(-1);
    if (call.method !== "read" || last === undefined) continue;
    const seen = change(order.slice(0, last.seq));
    changed.set(read, { ...read, outcome: readOutcome(seen, call.sinceSeq) });
  }
  return replace(scene, changed);
}

/** What a read of this log shows. */
export function readOutcome(ids: readonly string[], sinceSeq: number): OperationOutcome {
  const events = ids.map((id, index) => ({ seq: index + 1, id }));
  return { status: "ok", events: events.slice(sinceSeq) };
}

/** Every read that was answered. */
export function reads(scene: Scene): readonly ReadOperation[] {
  return scene.operations.filter(isRead);
}

/** A read that shows something. */
export function pickRead(scene: Scene): ReadOperation | undefined {
  return scene.random.pick(reads(scene).filter(({ outcome }) => outcome.events.length > 0));
}

/** The history with other events in one read, whose seqs stay as they were. */
export function withEvents(
  scene: Scene,
  read: ReadOperation,
  change: (ids: readonly string[]) => readonly string[],
): History {
  const first = read.outcome.events[0]?.seq ?? 1;
  const ids = change(read.outcome.events.map(({ id }) => id));
  const events = ids.map((id, index) => ({ seq: first + index, id }));
  return edit(scene, read, { outcome: { status: "ok", events } });
}

function isRead(operation: Operation): operation is ReadOperation {
  return "events" in operation.outcome;
}

function isAppend(operation: Operation): operation is AppendOperation {
  return operation.call.method === "append";
}

export function isAcknowledged({ outcome }: Operation): boolean {
  return outcome.status === "ok";
}
