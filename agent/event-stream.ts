import { isCheckpointError, type Checkpointer, type EventObject } from "../src/index.ts";
import {
  closingEvent,
  heartbeat,
  parsePosition,
  requestedPosition,
  serverSentEvent,
  type EventPosition,
} from "./server-sent-event.ts";

/** Options of {@link toEventStream}. */
export interface EventStreamOptions {
  /**
   * Milliseconds of silence after which a comment is sent, so that proxies keep the connection. 1 to
   * 2^31-1. Left out: none.
   */
  readonly heartbeatMs?: number | undefined;
}

/** What following a session takes. */
type Followed<E extends EventObject> = Pick<Checkpointer<E>, "headToken" | "tail">;

/**
 * A session as server-sent events, for a route of a web server to return: every stored event, then each
 * new one as it lands, with no gap or duplicate, also across connections. `data` is the JSON of a
 * `StoredEvent`, `event` its type.
 *
 * An event's id names its history as well as its seq. A client that comes back with the id of the last
 * event it has, in the header `Last-Event-ID` (as browsers do) or the parameter `lastEventId`, goes on
 * right behind it. If that history is gone, because the session was truncated, deleted or sealed anew, or
 * is replaced while it is followed, the stream says `event: log_changed` and ends; browsers then start
 * over by themselves, and so should every client, with an empty log. When the log cannot be read the
 * stream says `event: failed` and ends. Both have `{"code":"…"}` for data, and nothing else of an error.
 *
 * Events are read as the client takes them. Cancelling the body, or aborting the request, ends the
 * reading; a session that does not exist yet is waited for.
 *
 * @param request - its signal ends the stream
 * @returns 200, or 400 for an id that this function never gave out
 * @throws RangeError for a heartbeat that is not in its bounds
 */
export function toEventStream<E extends EventObject>(
  checkpointer: Pick<Checkpointer<E>, "headToken" | "tail">,
  sessionId: string,
  request: Request,
  options: EventStreamOptions = {},
): Response {
  const { heartbeatMs } = options;
  if (heartbeatMs !== undefined && !(heartbeatMs >= 1 && heartbeatMs < 2 ** 31)) {
    throw new RangeError("heartbeatMs: wanted 1 to 2^31-1 milliseconds");
  }
  const position = requestedPosition(request);
  if (position === "invalid") {
    const text = "Last-Event-ID: wanted the id of an event of this stream\n";
    return new Response(text, { status: 400, headers: { "content-type": "text/plain" } });
  }
  const body = streamOf((signal) => frames(checkpointer, sessionId, position, signal), {
    signal: request.signal,
    heartbeatMs,
  });
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    // Nginx holds back what it can buffer, which here is everything.
    "x-accel-buffering": "no",
  };
  return new Response(body, { headers });
}

/** The text of the stream, an event at a time. Throws only when the signal says so. */
async function* frames<E extends EventObject>(
  checkpointer: Followed<E>,
  sessionId: string,
  position: EventPosition | null,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  try {
    for (;;) {
      const generation = await generationAt(checkpointer, sessionId, position);
      if (generation === null) break;
      const events = checkpointer.tail(sessionId, { sinceSeq: position?.seq ?? 0, signal });
      let isChecked = false;
      for await (const stored of events) {
        if (!isChecked) {
          // The tail has fixed its history between two looks at the token. Equal, they name it.
          const now = await generationAt(checkpointer, sessionId, null);
          if (now !== generation) break;
          isChecked = true;
        }
        yield serverSentEvent(generation, stored);
      }
      // A session that came into being meanwhile has a history now, and is followed from its start.
      if (isChecked || generation !== "") break;
    }
    yield closingEvent("log_changed", "LOG_CHANGED");
  } catch (error) {
    if (signal.aborted) throw error;
    const isChange = isCheckpointError(error, "LOG_CHANGED");
    const code = isCheckpointError(error) ? error.code : "UNKNOWN";
    yield closingEvent(isChange ? "log_changed" : "failed", code);
  }
}

/** The generation of a session, or null if it is not the one in which `position` is. */
async function generationAt(
  checkpointer: Pick<Followed<EventObject>, "headToken">,
  sessionId: string,
  position: EventPosition | null,
): Promise<string | null> {
  const head = parsePosition(await checkpointer.headToken(sessionId));
  if (head === null) throw new TypeError("headToken(): wanted a generation and a seq");
  if (position === null) return head.generation;
  const isThere = position.generation === head.generation && position.seq <= head.seq;
  return isThere ? head.generation : null;
}

interface StreamOptions {
  readonly signal: AbortSignal;
  readonly heartbeatMs: number | undefined;
}

/** A byte stream that pulls one text at a time, and only when somebody reads. */
function streamOf(
  open: (signal: AbortSignal) => AsyncGenerator<string, void>,
  { signal, heartbeatMs }: StreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const stopping = new AbortController();
  const texts = open(stopping.signal);
  let running: Promise<void> | undefined;
  let arrived: IteratorResult<string, void> | undefined;
  let wake = (): void => undefined;

  const stop = async (): Promise<void> => {
    signal.removeEventListener("abort", stopOnAbort);
    stopping.abort();
    await Promise.allSettled([running, texts.return(undefined)]);
  };
  const stopOnAbort = (): void => void stop();

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (signal.aborted) return controller.close();
        signal.addEventListener("abort", stopOnAbort, { once: true });
      },
      async pull(controller) {
        // One reaction a text, however many heartbeats it takes: an idle stream must not grow.
        running ??= texts.next().then(
          (result) => {
            arrived = result;
            wake();
          },
          // Only an abort ends it so, and then there is nobody to tell.
          () => {
            arrived = { done: true, value: undefined };
            wake();
          },
        );
        if (arrived === undefined) await atMost(heartbeatMs, (resolve) => (wake = resolve));
        if (arrived === undefined) return controller.enqueue(encoder.encode(heartbeat));
        const result = arrived;
        running = undefined;
        arrived = undefined;
        if (result.done !== true) return controller.enqueue(encoder.encode(result.value));
        signal.removeEventListener("abort", stopOnAbort);
        controller.close();
      },
      cancel: stop,
    },
    // Nothing is read ahead.
    { highWaterMark: 0 },
  );
}

/** Waits until what `listen` is given is called, and no longer than `ms` milliseconds if there are any. */
function atMost(ms: number | undefined, listen: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    timer?.unref();
    listen(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
