import type {
  Checkpointer,
  EventObject,
  ReadOptions,
  SessionInfo,
  StoredEvent,
} from "../src/index.ts";
import { collect } from "./collect.ts";

/**
 * A handle as cases see it. Its type is the whole contract; a case uses the minimal methods and what
 * its requirements name, since more may not be there.
 */
export type Handle = Checkpointer<EventObject>;

/** The session that most cases use. */
export const id = "session";

/** The simplest event. */
export interface Numbered {
  readonly n: number;
}

/** Events `{ n: from }` to `{ n: to }`. */
export function numbered(from: number, to: number): Numbered[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({ n: from + index }));
}

/** Whole numbers `from` to `to`. */
export function sequence(from: number, to: number): number[] {
  return numbered(from, to).map(({ n }) => n);
}

/** All stored events of a session. */
export function readAll(
  handle: Handle,
  sessionId: string = id,
  options?: ReadOptions,
): Promise<StoredEvent<EventObject>[]> {
  return collect(handle.read(sessionId, options));
}

/** The events of a session without their places. */
export async function eventsOf(handle: Handle, sessionId: string = id): Promise<EventObject[]> {
  return (await readAll(handle, sessionId)).map(({ event }) => event);
}

/** The `n` of a stored event. */
export function numberOf({ event }: StoredEvent<EventObject>): number {
  return (event as unknown as Numbered).n;
}

/** The `n` of every event of a session. */
export async function numbersOf(handle: Handle, sessionId: string = id): Promise<number[]> {
  return (await readAll(handle, sessionId)).map(numberOf);
}

/** The ids that `list` shows, in its order. */
export async function listedIds(handle: Handle): Promise<string[]> {
  return (await handle.list()).map((info) => info.id);
}

/** What `list` shows of one session. */
export async function infoOf(handle: Handle, sessionId: string = id): Promise<SessionInfo> {
  const info = (await handle.list()).find((session) => session.id === sessionId);
  if (info === undefined) throw new Error(`${sessionId} is not listed`);
  return info;
}

/** What must not change when something is refused: list order, times, heads, tokens, content. */
export async function stateOf(handle: Handle): Promise<unknown> {
  const sessions = [];
  for (const info of await handle.list()) {
    const head = await handle.head(info.id);
    const hasTokens = (handle as Partial<Handle>).capabilities?.headToken === true;
    const token = hasTokens ? await handle.headToken(info.id) : null;
    sessions.push({ info, head, token, events: await readAll(handle, info.id) });
  }
  return sessions;
}

/** Lets everything else that can run do so; a loop over a store that answers at once needs it. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
