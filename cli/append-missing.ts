import { isCheckpointError, limits, type EventObject, type HeadToken } from "../src/index.ts";
import { CliError } from "./cli-error.ts";
import type { Store } from "./context.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { showId } from "./output/escape.ts";

/** An event that is to be there, with what messages call the place it came from. */
export interface IncomingEvent {
  readonly event: EventObject;
  /** Bytes of JSON text, roughly; bounds a batch. */
  readonly size: number;
  /** For example `line 7`. */
  readonly place: string;
}

/** Options of {@link appendMissing}. */
export interface AppendMissingOptions {
  /** Events in one append. */
  readonly batch: number;
  /** Checked between events. An append that has started completes. */
  readonly signal: AbortSignal;
  /** Told after every event. */
  readonly onProgress?: ((done: AppendedEvents) => void) | undefined;
}

/** What {@link appendMissing} did. */
export interface AppendedEvents {
  /** Events that came in. */
  readonly records: number;
  /** Those of them that were not there yet. */
  readonly appended: number;
  /** Last seq of the session. */
  readonly head: number;
}

/**
 * Makes a session start with exactly these events: compares those that are there one by one and
 * appends the rest in batches, each insisting on the head that the batch before left, so that two
 * runs at once never interleave. Run again, it goes on where it stopped and repeats nothing.
 *
 * @throws CliError with the exit code for a conflict when an event that is there differs; nothing
 * was written then
 */
export async function appendMissing(
  store: Store,
  sessionId: string,
  incoming: AsyncIterable<IncomingEvent>,
  options: AppendMissingOptions,
): Promise<AppendedEvents> {
  const { signal, onProgress } = options;
  // A token, because comparing is worth nothing if the history is replaced afterwards.
  const token = await store.headToken(sessionId);
  const present = await store.head(sessionId);
  const append = batchAppender(store, sessionId, token, options.batch);
  const existing = store.read(sessionId, { untilSeq: present, signal })[Symbol.asyncIterator]();
  let records = 0;
  let head = present;
  const done = (): AppendedEvents => ({ records, appended: head - present, head });
  try {
    for await (const item of incoming) {
      signal.throwIfAborted();
      records += 1;
      if (records <= present) {
        const stored = await existing.next();
        if (stored.done === true || !sameEvent(stored.value.event, item.event)) {
          throw differs(sessionId, records, item.place);
        }
      } else if (append.isFullWith(item)) {
        head = await append.flush();
        append.add(item);
      } else {
        append.add(item);
      }
      onProgress?.(done());
    }
    signal.throwIfAborted();
    if (append.pending() > 0) head = await append.flush();
  } finally {
    await existing.return?.();
  }
  return done();
}

interface BatchAppender {
  readonly isFullWith: (item: IncomingEvent) => boolean;
  readonly add: (item: IncomingEvent) => void;
  readonly pending: () => number;
  readonly flush: () => Promise<number>;
}

function batchAppender(
  store: Store,
  sessionId: string,
  token: HeadToken,
  batchEvents: number,
): BatchAppender {
  const maxEvents = Math.min(batchEvents, store.capabilities.limits.maxBatchEvents);
  let expected: HeadToken | number = token;
  let batch: IncomingEvent[] = [];
  let size = 0;
  return {
    isFullWith: (item) =>
      batch.length >= maxEvents || (batch.length > 0 && size + item.size > limits.mergeMaxBytes),
    add: (item) => {
      batch.push(item);
      size += item.size;
    },
    pending: () => batch.length,
    async flush() {
      const items = batch;
      batch = [];
      size = 0;
      const events = items.map(({ event }) => event);
      try {
        expected = await store.append(sessionId, events, expected);
      } catch (error) {
        throw explained(error, sessionId, items);
      }
      return expected;
    },
  };
}

/** Key order counts: what is there is either exactly what was imported, or something else. */
function sameEvent(left: EventObject, right: EventObject): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function differs(sessionId: string, seq: number, place: string): CliError {
  const detail = `seq ${seq} differs from ${place}; nothing was written`;
  return new CliError(
    exitCodes.conflict,
    `Session ${showId(sessionId)} has other events: ${detail}`,
  );
}

/** The engine's message counts within one append and names tokens; people count lines. */
function explained(error: unknown, sessionId: string, items: readonly IncomingEvent[]): unknown {
  if (isCheckpointError(error, "CONFLICT")) {
    const detail = "was changed by somebody else meanwhile; run again to go on";
    const message = `Session ${showId(sessionId)} ${detail}`;
    return new CliError(exitCodes.conflict, message, { cause: error });
  }
  const aboutOneEvent =
    isCheckpointError(error, "LIMIT_EXCEEDED") ||
    isCheckpointError(error, "EVENT_NOT_SERIALIZABLE");
  if (!aboutOneEvent) return error;
  const index = Number(/^Cannot append event (\d+): /.exec(error.message)?.[1]);
  const places = [items[0], items.at(-1)].map((item) => item?.place);
  const place = items[index]?.place ?? [...new Set(places)].join(" to ");
  const detail = error.message.replace(/^Cannot append(?: event \d+)?: /, "");
  const message = `Cannot append ${place}: ${detail} (${error.code})`;
  return new CliError(exitCodeOf(error), message, { cause: error });
}
