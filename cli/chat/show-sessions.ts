import { isPrompt, promptText } from "../../agent/prompts.ts";
import type { SessionEvent, SessionInfo } from "../../src/index.ts";
import type { Store } from "../context.ts";
import { escapeText, showId } from "../output/escape.ts";
import { formatCount } from "../output/format-count.ts";
import { formatAge } from "../output/format-time.ts";
import { fit } from "../output/width.ts";
import type { Chat } from "./chat.ts";

/** Sessions that `/sessions` lists; `ckpt ls` lists them all. */
const shownSessions = 20;

/** Events in which the first prompt is looked for. */
const searchedEvents = 10;

/** Prints the latest sessions of the store, each with its first prompt, and marks the present one. */
export async function showSessions({ context, agent, store, transcript }: Chat): Promise<void> {
  const { style, out } = context;
  const sessions = await agent.listSessions({ limit: shownSessions });
  if (sessions.length === 0) transcript.line("No sessions yet.");
  const now = Date.now();
  for (const { id, head, mtime } of sessions) {
    const mark = id === agent.sessionId ? "*" : " ";
    const facts = `${formatAge(mtime, now)}, ${formatCount(head, "event")}`;
    transcript.line(`${mark} ${style.bold(showId(id))}  ${style.dim(facts)}`);
    const prompt = await firstPrompt(store, id);
    if (prompt !== null) transcript.line(`    ${fit(escapeText(prompt), (out.columns ?? 80) - 4)}`);
  }
}

async function firstPrompt(store: Store, id: SessionInfo["id"]): Promise<string | null> {
  try {
    for await (const stored of store.read(id, { limit: searchedEvents })) {
      const event = stored.event as SessionEvent;
      if (isPrompt(event)) return promptText(event.content);
    }
  } catch {
    // A session that cannot be read is listed all the same.
  }
  return null;
}
