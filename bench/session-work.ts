import type { Handle } from "../conformance/session-state.ts";
import type { EventObject } from "../src/index.ts";

/** Events in one append while a session is filled. */
const fillBatch = 500;

/** Appends events, in turn, until the session holds `count`. */
export async function fillSession(
  handle: Handle,
  sessionId: string,
  events: readonly EventObject[],
  count: number,
): Promise<void> {
  for (let filled = 0; filled < count; filled += fillBatch) {
    const size = Math.min(fillBatch, count - filled);
    await handle.append(sessionId, batchAt(events, filled, size));
  }
}

/** `size` events from a place on, starting over where they end. */
export function batchAt(
  events: readonly EventObject[],
  place: number,
  size: number,
): readonly EventObject[] {
  const from = place % events.length;
  const batch = events.slice(from, from + size);
  return batch.length === size
    ? batch
    : [...batch, ...batchAt(events, from + batch.length, size - batch.length)];
}

/** Events that a session which only grows holds at the most. */
const mostGrown = 30_000;

/**
 * Sessions that blocks append to. They start over when they have become long, and behind a first event
 * that nobody times: making a session is another operation than appending to one.
 */
export interface GrowingSessions {
  readonly begin: () => Promise<void>;
  /** Starts over where `count` events more have made the sessions long. */
  readonly grown: (count: number) => Promise<void>;
}

/** Each handle with the session that it deletes and begins. */
export function growSessions(
  owners: ReadonlyArray<readonly [sessionId: string, handle: Handle]>,
  events: readonly EventObject[],
): GrowingSessions {
  let length = 0;
  const begin = async (): Promise<void> => {
    length = 0;
    for (const [sessionId, handle] of owners) await handle.append(sessionId, batchAt(events, 0, 1));
  };
  return {
    begin,
    async grown(count) {
      length += count;
      if (length < mostGrown) return;
      for (const [sessionId, handle] of owners) await handle.delete(sessionId);
      await begin();
    },
  };
}

/** Reads a session from a seq on, and requires that so many events come. */
export async function readSession(
  handle: Handle,
  sessionId: string,
  sinceSeq: number,
  wanted: number,
): Promise<void> {
  let count = 0;
  for await (const _event of handle.read(sessionId, { sinceSeq })) count += 1;
  if (count !== wanted) throw new Error(`Wanted ${wanted} events of ${sessionId}, met ${count}`);
}

/** Times one call where somebody wants to know. */
export async function timed(
  onLatency: ((milliseconds: number) => void) | undefined,
  call: () => Promise<unknown>,
): Promise<void> {
  if (onLatency === undefined) {
    await call();
    return;
  }
  const begin = performance.now();
  await call();
  onLatency(performance.now() - begin);
}
