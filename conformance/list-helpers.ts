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
