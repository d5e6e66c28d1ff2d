import { isPrompt } from "../../agent/prompts.ts";
import { isWellFormed } from "../../agent/well-formed.ts";
import type { SessionEvent } from "../../src/index.ts";
import type { Store } from "../context.ts";

/** Prompts that are shown again when a session goes on; `ckpt show` has them all. */
const shownPrompts = 10;

/** The end of a session, from one of its last prompts on, without the contents of files. */
export async function recentEvents(store: Store, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  let prompts = 0;
  for await (const stored of store.read(sessionId, { reverse: true })) {
    const event = stored.event as SessionEvent;
    if (event.type === "file_snapshot" || !isWellFormed(event)) continue;
    events.unshift(event);
    if (isPrompt(event)) prompts += 1;
    if (prompts === shownPrompts) break;
  }
  return events;
}
