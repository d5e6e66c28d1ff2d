import type { CallOutcome } from "../call-outcome.ts";
import { withPrepared } from "../changes.ts";
import type { Context, OwnedContext } from "../context.ts";
import { withServer } from "../faults/cut-connections.ts";
import type { HeadToken } from "../../src/index.ts";
import { numbered, sequence, type Handle } from "../session-state.ts";
import { contentOf } from "../store-content.ts";
import { callsDuring, nameCalls } from "./calls.ts";
import type { RemoteStore } from "./remote-store.ts";
import { answerOf, wake } from "./slow-owner.ts";
import { inParallel, withProcess } from "./use-processes.ts";

/** What a writer insists on, and how another one makes that untrue. */
export interface Fence {
  readonly name: string;
  expectation(handle: Handle): Promise<number | HeadToken>;
  takeOver(handle: Handle): Promise<unknown>;
  /** What the session holds then, of what it held before. */
  after(before: readonly number[]): readonly number[];
}

/** A head that is moved on. */
export const headFence: Fence = {
  name: "the head",
  expectation: (handle) => handle.head("s"),
  takeOver: (handle) => handle.append("s", numbered(201, 201)),
  after: (before) => [...before, 201],
};

/** A token of a history that gives way to another one as long. */
export const tokenFence: Fence = {
  name: "a token",
  expectation: (handle) => handle.headToken("s"),
  async takeOver(handle) {
    await handle.truncate("s", 4);
    await handle.append("s", numbered(201, 201));
  },
  after: (before) => [...before.slice(0, 4), 201],
};

/** The numbers that the session begins with, and those of the writer that comes too late. */
const prepared = sequence(1, 5);
const late = sequence(101, 103);
const lateEvents = numbered(101, 103);

/** Milliseconds that a rival is given before what it may be waiting for is let go. */
const patience = 250;

/**
 * Keeps back, one after the other, each piece that an append sends to the server, until another writer
 * has taken over. Wherever the append was, the other one's history stands.
 */
export async function holdAppends(context: Context, fence: Fence): Promise<void> {
  let held = 0;
  let refused = 0;
  for (;;) {
    const answer = await holdAt(context, fence, held + 1);
    if (answer === null) break;
    held += 1;
    if (answer === "not done") refused += 1;
  }
  context.note(`kept back ${held} times, refused ${refused} times`);
  context.check.ok(refused > 0, "an append that comes too late is refused");
}

/** What the append said; null when it sends less. */
function holdAt(context: Context, fence: Fence, at: number): Promise<CallOutcome | null> {
  return withPrepared(context, (store) =>
    withServer(store, async (relay, openThrough) => {
      const owner = await openThrough();
      try {
        // What a first look costs is behind it.
        await contentOf(owner);
        const expected = await fence.expectation(owner);
        const holding = relay.hold(at);
        const own = answerOf(owner.append("s", lateEvents, expected));
        const isHeld = await Promise.race([holding.then(() => true), own.then(() => false)]);
        if (!isHeld) return null;
        const rival = answerOf(fence.takeOver(await store.open()));
        // A store that locks lets its rival wait for the very thing that is kept back.
        await Promise.race([rival, pause(patience)]);
        relay.release();
        await judge({ store, fence, where: `piece ${at} kept back` }, await own, await rival);
        return await own;
      } finally {
        await owner.close();
      }
    }),
  );
}

/**
 * Stops a process before each thing that an append of it sends, lets another writer take over, and
 * wakes it up.
 */
export async function stopAppends(context: Context, fence: Fence): Promise<void> {
  const calls = await inProcess(context, fence, async ({ remote, expected }) =>
    callsDuring(remote, () => remote.handle.append("s", lateEvents, expected)),
  );
  const answers: CallOutcome[] = [];
  await inParallel(sequence(1, calls.length), 3, async (at) => {
    answers.push(await stopAt(context, fence, at));
  });
  const refused = answers.filter((answer) => answer === "not done").length;
  context.note(`stopped at ${calls.length} ${nameCalls(calls)}, refused ${refused} times`);
  context.check.ok(refused > 0, "an append of a process that wakes up too late is refused");
}

function stopAt(context: Context, fence: Fence, at: number): Promise<CallOutcome> {
  return inProcess(context, fence, async ({ store, remote, expected }) => {
    await remote.arm([{ at, act: "stop" }]);
    const own = answerOf(remote.handle.append("s", lateEvents, expected));
    await Promise.race([remote.stopping(), own]);
    const rival = await answerOf(fence.takeOver(await store.open()));
    await wake(remote, own);
    await judge({ store, fence, where: `stopped before call ${at}` }, await own, rival);
    return own;
  });
}

/** A process that has a prepared store open, and what its append is to insist on. */
interface Remote {
  readonly store: OwnedContext;
  readonly remote: RemoteStore;
  readonly expected: number | HeadToken;
}

function inProcess<T>(
  context: Context,
  fence: Fence,
  work: (scene: Remote) => Promise<T>,
): Promise<T> {
  return withPrepared(context, (store) =>
    withProcess(store.fixture, { hooked: true }, async (remote) => {
      await remote.open();
      return work({ store, remote, expected: await fence.expectation(remote.handle) });
    }),
  );
}

interface Scene {
  readonly store: OwnedContext;
  readonly fence: Fence;
  readonly where: string;
}

/** What holds whichever came first: a takeover that was made stands, and nothing comes behind it. */
async function judge(
  { store, fence, where }: Scene,
  own: CallOutcome,
  rival: CallOutcome,
): Promise<void> {
  const { s: found = [] } = await contentOf(await store.open());
  const starts = {
    done: [[...prepared, ...late]],
    "not done": [prepared],
    unknown: [prepared, [...prepared, ...late]],
  };
  const logs = starts[own].map((start) => (rival === "done" ? fence.after(start) : start));
  const texts = logs.map((numbers) => JSON.stringify(numbers.map((n) => JSON.stringify({ n }))));
  store.check.includes(texts, JSON.stringify(found), `${where}, which is said to be ${own}`);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}
