import type { ListOptions, SessionInfo } from "../src/index.ts";
import type { Check } from "./check.ts";
import { numbered, type Handle } from "./session-state.ts";

/** Runs `work` while the wall clock stands still, so that all of it is inside one millisecond. */
export async function inOneMillisecond<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  const instant = now();
  Date.now = () => instant;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

/** Creates sessions one after the other, and returns their ids in list order. */
export async function create(handle: Handle, ids: readonly string[]): Promise<string[]> {
  for (const sessionId of ids) await handle.append(sessionId, numbered(1, 1));
  return ids.toReversed();
}

/** The whole list, one page after the other, with cursors that went through JSON. */
export async function walk(
  check: Check,
  handle: Handle,
  options: ListOptions & { limit: number },
): Promise<SessionInfo[]> {
  const sessions: SessionInfo[] = [];
  let cursor: SessionInfo | undefined;
  for (;;) {
    const page = await handle.list({ ...options, cursor });
    check.atMost(page.length, options.limit);
    sessions.push(...page);
    // A list that ignores its cursor would never end.
    check.atMost(sessions.length, 100 - 1);
    if (page.length < options.limit) return sessions;
    cursor = JSON.parse(JSON.stringify(page.at(-1))) as SessionInfo;
  }
}
