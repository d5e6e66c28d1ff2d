import type { SessionInfo } from "../src/index.ts";
import type { Store } from "./context.ts";

const pageSize = 1000;

/** The ids of all sessions, oldest change first: done in this order, the list keeps its order. */
export async function oldestFirst(store: Store): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of listSessions(store)) ids.push(id);
  return ids.reverse();
}

/** Every session whose id starts with `prefix`, most recent change first, a page at a time. */
export async function* listSessions(store: Store, prefix = ""): AsyncGenerator<SessionInfo> {
  let cursor: SessionInfo | undefined;
  for (;;) {
    const page = await store.list({ limit: pageSize, cursor, prefix });
    yield* page;
    cursor = page.at(-1);
    if (cursor === undefined || page.length < pageSize) return;
  }
}
