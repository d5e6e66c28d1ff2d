import { AgentError } from "../agent-error.ts";
import type { ModelChunk } from "../model-provider.ts";
import { modelFailed } from "./model-failed.ts";
import { untilAborted } from "./until-aborted.ts";

/** One request to a vendor, whose events become chunks. */
export interface VendorCall<Event> {
  /** The provider, for errors. */
  readonly id: string;
  /** Sends the request. `signal` ends it, retries and the events that follow included. */
  readonly send: (signal: AbortSignal) => PromiseLike<AsyncIterable<Event>>;
  readonly reader: AnswerReader<Event>;
  /** How long the vendor may be silent between two events, in ms. */
  readonly timeoutMs: number;
  /** Keys in use, which no error may repeat; asked for when there is one. */
  readonly secrets: () => readonly string[];
}

/** Turns the events of one answer into chunks. */
export interface AnswerReader<Event> {
  /** The chunks that become known with `event`; never `stop`. */
  accept(event: Event): readonly ModelChunk[];
  /** Whether the vendor has said that its answer is whole. Usage may still follow. */
  isWhole(): boolean;
  /** What is left of a whole answer; `stop` is the last. */
  end(): readonly ModelChunk[];
}

/**
 * After a whole answer the body is read to its end, so that the connection can be used again. A server
 * that keeps it open is not waited for longer than this.
 */
const lingerMs = 1000;

/**
 * Runs a call. However it ends (all read, broken off, aborted, failed), the request is over afterwards.
 *
 * @throws AgentError `MODEL_FAILED`; `signal.reason` when the signal ended it
 */
export async function* vendorStream<Event>(
  call: VendorCall<Event>,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, void, undefined> {
  signal.throwIfAborted();
  const request = new AbortController();
  const follow = (): void => request.abort(signal.reason);
  signal.addEventListener("abort", follow, { once: true });
  try {
    for await (const chunk of chunksOf(call, request)) {
      signal.throwIfAborted();
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof AgentError ? error : modelFailed(call.id, error, call.secrets());
  } finally {
    signal.removeEventListener("abort", follow);
    request.abort();
  }
}

async function* chunksOf<Event>(
  { id, send, reader, timeoutMs }: VendorCall<Event>,
  request: AbortController,
): AsyncGenerator<ModelChunk, void, undefined> {
  const silent = new AgentError("MODEL_FAILED", `${id}: said nothing for ${timeoutMs} ms`);
  // The packages end an aborted stream without an error, and wait out the pause before a retry.
  const events = await untilAborted(send(request.signal), request.signal);
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const patience = setTimeout(
        () => request.abort(silent),
        reader.isWhole() ? lingerMs : timeoutMs,
      );
      const next = await untilAborted(iterator.next(), request.signal).finally(() =>
        clearTimeout(patience),
      );
      if (next.done === true) break;
      yield* reader.accept(next.value);
    }
  } catch (error) {
    // A connection that breaks behind a whole answer takes nothing away from it.
    if (!reader.isWhole()) throw error;
  }
  if (!reader.isWhole()) {
    throw new AgentError("MODEL_FAILED", `${id}: the stream ended before the answer did`);
  }
  yield* reader.end();
}
