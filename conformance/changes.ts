import { withAnother, type Context, type OwnedContext } from "./context.ts";
import type { Requirement } from "./property.ts";
import { numbered, type Handle } from "./session-state.ts";

/** A change that is interrupted: by a kill, a fault, a stop or a power cut. */
export interface Change {
  readonly name: string;
  readonly requires?: readonly Requirement[];
  /** The session that is changed. */
  readonly sessionId: string;
  run(handle: Handle): Promise<unknown>;
}

/** What every change starts from: a session of five events in three appends, and one beside it. */
export async function prepareSessions(handle: Handle): Promise<void> {
  await handle.append("s", numbered(1, 2));
  await handle.append("other", numbered(1, 1));
  await handle.append("s", numbered(3, 4));
  await handle.append("s", numbered(5, 5));
}

/** Runs `work` on another store that holds these sessions, with no handle open. */
export function withPrepared<T>(
  context: Context,
  work: (store: OwnedContext) => Promise<T>,
): Promise<T> {
  return withAnother(context, async (store) => {
    await prepareSessions(await store.open());
    await store.closeAll();
    return work(store);
  });
}

const append: Change = {
  name: "append()",
  sessionId: "s",
  run: (handle) => handle.append("s", numbered(6, 8), 5),
};

const appendFirst: Change = {
  name: "append() to a new session",
  sessionId: "new",
  run: (handle) => handle.append("new", numbered(1, 2)),
};

const appendKeyed: Change = {
  name: "append() with a key",
  requires: ["idempotency"],
  sessionId: "s",
  run: (handle) => handle.append("s", numbered(6, 8), { idempotencyKey: "key" }),
};

const truncate: Change = {
  name: "truncate()",
  requires: ["truncate"],
  sessionId: "s",
  run: (handle) => handle.truncate("s", 2),
};

const remove: Change = {
  name: "delete()",
  sessionId: "s",
  run: (handle) => handle.delete("s"),
};

/** The fork, whose kills are a property of their own. */
export const fork: Change = {
  name: "fork()",
  requires: ["fork"],
  sessionId: "fork",
  run: (handle) => handle.fork("s", 3, "fork"),
};

/** Every change that all stores, or those that claim it, can make. */
export const changes: readonly Change[] = [append, appendFirst, appendKeyed, truncate, remove];
