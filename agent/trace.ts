import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import type { Checkpointer, EventObject, Outcome, RecordStore, StoredEvent } from "../src/index.ts";

/** What is traced: the calls of a checkpointer and its store, and those of a session. */
export type SpanName = "append" | "read" | "commit" | "restore" | "compact";

/**
 * What subscribers learn of a span; filled in while it runs. There is never more in it: no event, no path,
 * no key and no message of an error. A session id may be somebody's name; whoever exports it decides.
 */
export interface SpanContext {
  readonly sessionId: string;
  /** Events that are appended or committed, or were read. */
  events?: number;
  /** Where it begins: the exclusive bound of a read, the target of a restore. */
  seq?: number;
  /** The last seq afterwards, or the last one that was read. */
  head?: number;
  /** What went wrong, when the span ends with `error`. */
  error?: { readonly code: string };
}

const channels: Readonly<Record<SpanName, TracingChannel<unknown, SpanContext>>> = {
  append: tracingChannel("checkpointer-kit:append"),
  read: tracingChannel("checkpointer-kit:read"),
  commit: tracingChannel("checkpointer-kit:commit"),
  restore: tracingChannel("checkpointer-kit:restore"),
  compact: tracingChannel("checkpointer-kit:compact"),
};

/**
 * Runs `work` as a span on the channel `tracing:checkpointer-kit:<name>:*` of `node:diagnostics_channel`,
 * as `TracingChannel.tracePromise` does, but for one thing: subscribers get neither the result nor the
 * error, only what `work` puts into its context and the error's code. Without subscribers it is `work()`.
 */
export function traceSpan<T>(
  name: SpanName,
  context: SpanContext,
  work: (context: SpanContext) => Promise<T>,
): Promise<T> {
  const channel = channels[name];
  if (!channel.hasSubscribers) return work(context);
  return openSpan(channel, context).run(() => work(context));
}

/**
 * A checkpointer whose `append` and `read` are spans, with everything else of it as it is. A read's span
 * lasts from the first pull to the end of the loop. Without subscribers, what the checkpointer returns is
 * passed on as it is.
 *
 * Put `tracedStore` under the engine for the spans of `commit`.
 */
export function tracedCheckpointer<T extends Checkpointer<EventObject>>(checkpointer: T): T {
  const traced: Pick<Checkpointer<EventObject>, "append" | "read"> = {
    append(sessionId, events, expected) {
      if (!channels.append.hasSubscribers) return checkpointer.append(sessionId, events, expected);
      const context = { sessionId, events: Array.isArray(events) ? events.length : 0 };
      return traceSpan("append", context, async (span) => {
        span.head = await checkpointer.append(sessionId, events, expected);
        return span.head;
      });
    },
    read(sessionId, options) {
      const context = { sessionId, events: 0, seq: options?.sinceSeq ?? 0 };
      return traceIterable("read", context, checkpointer.read(sessionId, options), noteEvent);
    },
  };
  return { ...boundTo(checkpointer), ...traced };
}

/**
 * A store whose `commit` is a span, for `createCheckpointer`; everything else of it as it is. One commit may
 * serve several appends; its parent is the call that made the engine go to work on the session.
 */
export function tracedStore<T extends RecordStore>(store: T): T {
  const commit: RecordStore["commit"] = (sessionId, change) => {
    if (!channels.commit.hasSubscribers) return store.commit(sessionId, change);
    const events = change.batches.reduce((sum, { records }) => sum + records.length, 0);
    return traceSpan("commit", { sessionId, events }, async (span) => {
      const outcome = await store.commit(sessionId, change);
      noteOutcome(span, outcome);
      return outcome;
    });
  };
  return { ...boundTo(store), commit };
}

/** A refusal is a value to the engine; whoever looks at spans wants to see it as one. */
function noteOutcome(span: SpanContext, outcome: Outcome): void {
  if ("head" in outcome) span.head = outcome.head?.seq ?? 0;
  else if ("duplicate" in outcome) span.head = outcome.duplicate.to;
  else span.error = { code: "CONFLICT" };
}

function noteEvent(context: SpanContext, { seq }: StoredEvent<EventObject>): void {
  context.events = (context.events ?? 0) + 1;
  context.head = seq;
}

/**
 * The same values, as a span from the first pull to the end of the loop. Without subscribers it is `values`.
 *
 * @param note - puts into the context what a value says
 */
export function traceIterable<T>(
  name: SpanName,
  context: SpanContext,
  values: AsyncIterable<T>,
  note: (context: SpanContext, value: T) => void = () => undefined,
): AsyncIterable<T> {
  const channel = channels[name];
  return channel.hasSubscribers
    ? tracedValues(openSpan(channel, context), context, values, note)
    : values;
}

async function* tracedValues<T>(
  span: Span,
  context: SpanContext,
  values: AsyncIterable<T>,
  note: (context: SpanContext, value: T) => void,
): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]();
  try {
    // What the first pull does belongs to the span; later pulls belong to their callers.
    let next = await span.start(() => iterator.next());
    while (next.done !== true) {
      note(context, next.value);
      yield next.value;
      next = await iterator.next();
    }
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    try {
      await iterator.return?.();
    } finally {
      span.end();
    }
  }
}

interface Span {
  /** Runs what begins the span, with the stores that subscribers have bound to it. */
  readonly start: <T>(work: () => Promise<T>) => Promise<T>;
  readonly fail: (error: unknown) => void;
  readonly end: () => void;
  /** All of it around one promise. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
}

function openSpan(channel: TracingChannel<unknown, SpanContext>, context: SpanContext): Span {
  const span: Span = {
    start: (work) =>
      channel.start.runStores(context, () => {
        try {
          return work();
        } finally {
          channel.end.publish(context);
        }
      }),
    fail(error) {
      context.error = { code: codeOf(error) };
    },
    end() {
      if (context.error !== undefined) channel.error.publish(context);
      channel.asyncStart.publish(context);
      channel.asyncEnd.publish(context);
    },
    async run(work) {
      try {
        return await span.start(work);
      } catch (error) {
        span.fail(error);
        throw error;
      } finally {
        span.end();
      }
    },
  };
  return span;
}

/** The code of an error of this package or of Node.js, else its class; both are names and no messages. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  const { code } = error as { readonly code?: unknown };
  const name = typeof code === "string" ? code : error.name;
  return /^\w{1,64}$/.test(name) ? name : "UNKNOWN";
}

/** All members of an object, those of its class included, as they work on it. */
function boundTo<T extends object>(target: T): T {
  const members: Record<PropertyKey, unknown> = {};
  let from: object | null = target;
  while (from !== null && from !== Object.prototype) {
    for (const name of Reflect.ownKeys(from).filter((key) => !Object.hasOwn(members, key))) {
      const value: unknown = Reflect.get(target, name);
      members[name] = typeof value === "function" ? (value.bind(target) as unknown) : value;
    }
    from = Object.getPrototypeOf(from) as object | null;
  }
  return members as T;
}
