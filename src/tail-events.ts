import type { StoredEvent } from "./checkpointer.ts";
import { CheckpointError, quote } from "./errors.ts";
import type { Followers } from "./followers.ts";
import { limits } from "./limits.ts";
import { readEvents, type ReadContext } from "./read-events.ts";
import type { EventObject } from "./session-event.ts";
import { createWaker, type Waker } from "./waker.ts";

/**
 * Catches up, then follows. The log is the delivery and a wake-up is only a hint, so a lost, late
 * or false one costs time and never an event.
 */
export async function* tailEvents<E extends EventObject>(
  context: ReadContext,
  followers: Followers,
  sessionId: string,
  sinceSeq: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredEvent<E>, void, void> {
  signal?.throwIfAborted();
  const waker = createWaker();
  const stop = new AbortController();
  // Before the first look at the log, so that nothing can land unseen in between.
  followers.add(sessionId, waker);
  void relayHints(context, sessionId, waker, stop.signal);
  try {
    let delivered = sinceSeq;
    let generation: string | undefined;
    for (;;) {
      signal?.throwIfAborted();
      if (context.closed()) {
        throw new CheckpointError("CLOSED", "Cannot go on following: the checkpointer was closed");
      }
      const head = await context.store.head(sessionId);
      if (generation !== undefined && head?.generation !== generation) throw changed(sessionId);
      generation = head?.generation;
      if (head !== null && head.seq > delivered) {
        const range = {
          sinceSeq: delivered,
          untilSeq: head.seq,
          limit: Infinity,
          reverse: false,
          generation,
        };
        for await (const stored of readEvents<E>(context, sessionId, range, signal)) {
          delivered = stored.seq;
          yield stored;
        }
        // A store whose head is ahead of what it reads is looked at again later, not at once.
        if (delivered >= head.seq) continue;
      }
      await waker.wait(limits.tailPollMs, signal);
    }
  } finally {
    followers.remove(sessionId, waker);
    stop.abort();
  }
}

async function relayHints(
  { store }: ReadContext,
  sessionId: string,
  waker: Waker,
  signal: AbortSignal,
): Promise<void> {
  if (store.watch === undefined) return;
  try {
    for await (const _hint of store.watch(sessionId, signal)) waker.wake();
  } catch {
    // Hints may fail; polling goes on and reports what is really wrong.
  }
}

function changed(sessionId: string): CheckpointError {
  const detail = "the log was truncated or deleted while it was followed";
  return new CheckpointError("LOG_CHANGED", `Cannot follow session ${quote(sessionId)}: ${detail}`);
}
