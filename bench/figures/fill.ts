import type { Checkpointer, SessionEvent } from "../../src/index.ts";
import { agentEvents } from "./agent-events.ts";

const batchEvents = 1_000;

/** Makes a session of `count` events of about 1 KiB. */
export async function fill(store: Checkpointer, sessionId: string, count: number): Promise<void> {
  const events = agentEvents(batchEvents);
  for (let left = count; left > 0; left -= batchEvents) {
    await store.append(sessionId, events.slice(0, left));
  }
}

/** Appends one event after the other, each awaited, cycling through `events`. */
export async function appendOneByOne(
  store: Checkpointer,
  sessionId: string,
  events: readonly SessionEvent[],
): Promise<void> {
  for (const event of events) await store.append(sessionId, [event]);
}
