import { expect } from "vitest";
import {
  isCheckpointError,
  type ErrorCode,
  type ReadOptions,
  type SessionInfo,
  type StoredEvent,
} from "../../src/index.ts";
import type { Handle, StoreFixture } from "../stores.ts";

/** One sentence of the contract and how to check it. Data, so that broken stores can be run too. */
export interface Rule {
  /** Present tense, starts with the method it is about. */
  readonly name: string;
  readonly run: (store: StoreFixture) => Promise<void>;
}

/** Rules about one topic. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** The session that most rules use. */
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

/** Everything an iterable yields. */
export async function collect<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}

/** All stored events of a session. */
export function readAll(
  handle: Handle,
  sessionId: string = id,
  options?: ReadOptions,
): Promise<StoredEvent<object>[]> {
  return collect(handle.read(sessionId, options));
}

/** The events of a session without their places. */
export async function eventsOf(handle: Handle, sessionId: string = id): Promise<object[]> {
  return (await readAll(handle, sessionId)).map(({ event }) => event);
}

/** The `n` of a stored event. */
export function numberOf({ event }: StoredEvent<object>): number {
  return (event as Numbered).n;
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
    const token = await handle.headToken(info.id);
    sessions.push({ info, token, events: await readAll(handle, info.id) });
  }
  return sessions;
}

/** Runs `work` and checks that it changed nothing. */
export async function expectNoChange<T>(handle: Handle, work: () => Promise<T>): Promise<T> {
  const before = await stateOf(handle);
  const result = await work();
  expect(await stateOf(handle)).toEqual(before);
  return result;
}

/** What `work` fails with; a success is a failure of the rule. */
export async function failureOf(work: Promise<unknown> | AsyncIterable<unknown>): Promise<unknown> {
  try {
    await (Symbol.asyncIterator in work ? collect(work) : work);
  } catch (error) {
    return error;
  }
  throw new Error("wanted a rejection, met a result");
}

/** Checks that `work` fails with a code. */
export async function expectCode(
  work: Promise<unknown> | AsyncIterable<unknown>,
  code: ErrorCode,
): Promise<void> {
  const error = await failureOf(work);
  if (!isCheckpointError(error, code)) throw error;
}

/** Checks that `work` fails with a TypeError or RangeError, which is what garbage gets. */
export async function expectRefusal(
  work: Promise<unknown> | AsyncIterable<unknown>,
  what: unknown,
): Promise<void> {
  const error = await failureOf(work);
  const refused = error instanceof TypeError || error instanceof RangeError;
  if (!refused) throw new Error(`${String(what)} is not refused as garbage`, { cause: error });
}

/** Lets everything else that can run do so; a loop over a store that answers at once needs it. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Closes a handle and opens the store anew, where handles are more than one shared object. */
export async function reopen(store: StoreFixture, handle: Handle): Promise<Handle> {
  if (handle.capabilities.concurrency === "instance") return handle;
  await handle.close();
  return store.open();
}

/** `count` handles onto one store; the same one each time where that is all that is safe. */
export function openMany(store: StoreFixture, count: number): Handle[] {
  return Array.from({ length: count }, () => store.open());
}
