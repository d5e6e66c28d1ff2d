import { isCheckpointError, type EventObject, type StoredEvent } from "../../src/index.ts";
import type { Call, History, Operation, OperationOutcome, StoredId } from "./history.ts";

/** The field that a recorder adds to every event; it holds the event's id. */
export const idField = "historyId";

/** Records what several clients do to one store. Moments are the ticks of one counter. */
export interface HistoryRecorder {
  /**
   * A handle that does what `checkpointer` does, and records it as `client`. Several handles of one
   * recorder may be used at once, and calls on each may overlap. The store must be new.
   */
  wrap<E extends EventObject>(
    client: string,
    checkpointer: RecordableCheckpointer<E>,
  ): RecordedCheckpointer<E>;

  /**
   * Records a call that somebody else makes, a child process for example: call `begin` before the
   * request is sent and what it returns when the answer is there, or never when the process died. The
   * intervals are then wider than the real ones, which hides violations and never invents one.
   */
  begin(client: string, sessionId: string, call: Call): (outcome: OperationOutcome) => void;

  /** An id that no other event of this recorder has. */
  newId(): string;

  /** What has happened so far; calls that are still running have an unknown outcome. */
  history(): History;

  /**
   * Reads every session that was used, as client `final`, and gives the history. With these reads a
   * log that is never truncated or deleted is judged in near-linear time. Call it when all clients
   * have stopped.
   */
  finish(checkpointer: RecordableCheckpointer): Promise<History>;
}

/** What a recorder needs of a checkpointer. Every `Checkpointer` and `MinimalCheckpointer` has it. */
export interface RecordableCheckpointer<E extends EventObject = EventObject> {
  /** As `MinimalCheckpointer.append`. */
  append(
    sessionId: string,
    events: readonly E[],
    expected?: number | RecordedExpectation,
  ): Promise<number>;
  /** As `MinimalCheckpointer.read`. */
  read(sessionId: string, options?: { sinceSeq?: number }): AsyncIterable<StoredEvent<E>>;
  /** As `MinimalCheckpointer.head`. */
  head(sessionId: string): Promise<number>;
  /** As `MinimalCheckpointer.delete`. */
  delete(sessionId: string): Promise<void>;
  /** As `MinimalCheckpointer.truncate`. */
  truncate?(sessionId: string, toSeq: number, expectedHead?: number): Promise<void>;
}

/** What an append may insist on; head tokens are not recorded. */
export interface RecordedExpectation {
  readonly expectedHead?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** A checkpointer whose calls are recorded. */
export type RecordedCheckpointer<E extends EventObject> = Required<RecordableCheckpointer<E>>;

/** Starts an empty recording. */
export function recordHistory(): HistoryRecorder {
  const operations: Array<{ -readonly [Field in keyof Operation]: Operation[Field] }> = [];
  const idsOfKeys = new Map<string, readonly string[]>();
  let moments = 0;
  let ids = 0;

  const recorder: HistoryRecorder = {
    wrap: (client, checkpointer) => wrapCheckpointer({ recorder, idsFor }, client, checkpointer),
    begin(client, sessionId, call) {
      const unanswered: Operation = {
        client,
        sessionId,
        call,
        start: (moments += 1),
        end: null,
        outcome: { status: "unknown" },
      };
      const operation = { ...unanswered };
      operations.push(operation);
      return (outcome) => {
        operation.end = moments += 1;
        operation.outcome = outcome;
      };
    },
    newId: () => `e${(ids += 1)}`,
    history: () => ({ operations: operations.map((operation) => ({ ...operation })) }),
    async finish(checkpointer) {
      const final = recorder.wrap("final", checkpointer);
      for (const sessionId of new Set(operations.map((operation) => operation.sessionId))) {
        await drain(final.read(sessionId));
      }
      return recorder.history();
    },
  };

  /** New ids, or those of the earlier append that has the same key. */
  function idsFor(sessionId: string, count: number, key: string | undefined): readonly string[] {
    const name = JSON.stringify([sessionId, key, count]);
    const known = key === undefined ? undefined : idsOfKeys.get(name);
    const own = known ?? Array.from({ length: count }, () => recorder.newId());
    idsOfKeys.set(name, own);
    return own;
  }
  return recorder;
}

/** What an error that a checkpointer raised says about whether the call was applied. */
export function outcomeOfError(error: unknown): OperationOutcome {
  if (error instanceof TypeError || error instanceof RangeError) {
    return { status: "refused", code: error.name };
  }
  if (!isCheckpointError(error) || error.code === "OUTCOME_UNKNOWN") return { status: "unknown" };
  if ("expected" in error && "actual" in error) {
    const { expected, actual } = error;
    if (typeof expected === "number" && typeof actual === "number") {
      return { status: "conflict", expected, actual };
    }
  }
  return { status: "refused", code: error.code };
}

interface Recording {
  readonly recorder: HistoryRecorder;
  readonly idsFor: (sessionId: string, count: number, key: string | undefined) => readonly string[];
}

function wrapCheckpointer<E extends EventObject>(
  { recorder, idsFor }: Recording,
  client: string,
  checkpointer: RecordableCheckpointer<E>,
): RecordedCheckpointer<E> {
  /** Runs one call. It begins at once, so that calls which are not awaited keep their order. */
  async function record<T>(
    sessionId: string,
    call: Call,
    run: () => Promise<T>,
    answer: (value: T) => OperationOutcome,
  ): Promise<T> {
    const end = recorder.begin(client, sessionId, call);
    try {
      const value = await run();
      end(answer(value));
      return value;
    } catch (error) {
      end(outcomeOfError(error));
      throw error;
    }
  }

  return {
    append(sessionId, events, expected) {
      const options = typeof expected === "number" ? { expectedHead: expected } : (expected ?? {});
      const { expectedHead, idempotencyKey } = options;
      const ids = idsFor(sessionId, events.length, idempotencyKey);
      const marked = events.map((event, index) => ({ ...event, [idField]: ids[index] }));
      const call: Call = { method: "append", ids, ...defined({ expectedHead, idempotencyKey }) };
      // A store at the core level knows the short form alone.
      const insist = idempotencyKey === undefined ? expectedHead : options;
      const run = () => checkpointer.append(sessionId, marked, insist);
      return record(sessionId, call, run, (head) => ({ status: "ok", head }));
    },
    head: (sessionId) =>
      record(
        sessionId,
        { method: "head" },
        () => checkpointer.head(sessionId),
        (head) => ({ status: "ok", head }),
      ),
    delete: (sessionId) =>
      record(
        sessionId,
        { method: "delete" },
        () => checkpointer.delete(sessionId),
        () => ({ status: "ok" }),
      ),
    truncate(sessionId, toSeq, expectedHead) {
      const call: Call = { method: "truncate", toSeq, ...defined({ expectedHead }) };
      const run = async (): Promise<void> => {
        if (checkpointer.truncate === undefined) throw new TypeError("This store has no truncate");
        await checkpointer.truncate(sessionId, toSeq, expectedHead);
      };
      return record(sessionId, call, run, () => ({ status: "ok" }));
    },
    async *read(sessionId, options = {}) {
      const { sinceSeq = 0 } = options;
      const end = recorder.begin(client, sessionId, { method: "read", sinceSeq });
      const events: StoredId[] = [];
      // A reader that leaves early knows nothing about the rest.
      let outcome: OperationOutcome = { status: "unknown" };
      try {
        for await (const stored of checkpointer.read(sessionId, options)) {
          events.push({ seq: stored.seq, id: idOf(stored) });
          yield stored;
        }
        outcome = { status: "ok", events };
      } catch (error) {
        outcome = outcomeOfError(error);
        throw error;
      } finally {
        end(outcome);
      }
    },
  };
}

/** The id of an event that was appended through a recorder; of any other, one that nobody has. */
function idOf({ seq, event }: StoredEvent<EventObject>): string {
  const id: unknown = Reflect.get(event, idField);
  return typeof id === "string" ? id : `unrecorded at seq ${seq}`;
}

/** `fields` without those that are undefined, as JSON would have it. */
function defined<T extends object>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) continue;
}
