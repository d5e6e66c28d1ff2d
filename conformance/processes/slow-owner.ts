import { prepareSessions, type Change } from "../changes.ts";
import { Violation } from "../check.ts";
import type { Context, OwnedContext } from "../context.ts";
import { isCheckpointError } from "../../src/index.ts";
import { numbered } from "../session-state.ts";
import { contentOf } from "../store-content.ts";
import type { RemoteStore } from "./remote-store.ts";
import { inParallel, withProcess } from "./use-processes.ts";

/** What a rival appends while the owner sleeps. */
const rivalEvents = numbered(201, 202);

/** The owner's own events. */
const ownEvents = numbered(101, 103);

const append: Change = {
  name: "append()",
  sessionId: "s",
  run: (handle) => handle.append("s", ownEvents),
};

/**
 * Stops a process at each call of an append, lets another one take over and append, and wakes it up.
 * What both were told is what the log holds afterwards, each batch once and whole.
 */
export async function stopOwner(context: Context): Promise<void> {
  const calls = await callsOf(context);
  if (calls > 0) {
    const points = Array.from({ length: calls }, (_, index) => index + 1);
    await inParallel(points, 3, (at) => stopAt(context, at));
    context.note(`stopped at ${calls} calls of node:fs`);
    return;
  }
  const stops = 8;
  for (let turns = 0; turns < stops; turns += 1) await stopInFlight(context, turns);
  context.note(`stopped ${stops} times in flight`);
}

async function callsOf(context: Context): Promise<number> {
  const store = await prepared(context);
  try {
    return await withProcess(store.fixture, { hooked: true }, async (remote) => {
      await remote.open();
      await remote.arm([]);
      await append.run(remote.handle);
      return (await remote.disarm()).calls.length;
    });
  } finally {
    await store.dispose();
  }
}

async function prepared(context: Context): Promise<OwnedContext> {
  const store = await context.another();
  await prepareSessions(await store.open());
  await store.closeAll();
  return store;
}

async function stopAt(context: Context, at: number): Promise<void> {
  const store = await prepared(context);
  try {
    await withProcess(store.fixture, { hooked: true }, async (remote) => {
      await remote.open();
      await remote.arm([{ at, act: "stop" }]);
      const own = answerOf(append.run(remote.handle));
      await Promise.race([remote.stopping(), own]);
      await rivalAndWake(store, remote, own, `stopped at call ${at}`);
    });
  } finally {
    await store.dispose();
  }
}

async function stopInFlight(context: Context, turns: number): Promise<void> {
  const store = await prepared(context);
  try {
    await withProcess(store.fixture, {}, async (remote) => {
      await remote.open();
      const own = answerOf(append.run(remote.handle));
      for (let turn = 0; turn < turns; turn += 1)
        await new Promise<void>((next) => void setImmediate(next));
      remote.signal("SIGSTOP");
      await rivalAndWake(store, remote, own, `stopped in flight, after ${turns} turns`);
    });
  } finally {
    await store.dispose();
  }
}

async function rivalAndWake(
  store: OwnedContext,
  remote: RemoteStore,
  own: Promise<Answer>,
  where: string,
): Promise<void> {
  await store.fixture.expireLocks?.();
  const rival = await answerOf((await store.open()).append("s", rivalEvents));
  remote.signal("SIGCONT");
  const answers = [
    { events: ownEvents, answer: await own },
    { events: rivalEvents, answer: rival },
  ];
  const found = (await contentOf(await store.reopen()))["s"] ?? [];
  const start = numbered(1, 5).map((event) => JSON.stringify(event));
  store.check.equal(found.slice(0, 5), start, `${where}: what was there before`);
  const allowed = logsOf(answers).map((log) => JSON.stringify(log));
  store.check.includes(allowed, JSON.stringify(found.slice(5)), `${where}: what the two were told`);
}

type Answer = "done" | "not done" | "unknown";

async function answerOf(call: Promise<unknown>): Promise<Answer> {
  try {
    await call;
    return "done";
  } catch (error) {
    if (isCheckpointError(error, "OUTCOME_UNKNOWN")) return "unknown";
    if (isCheckpointError(error, "BUSY") || isCheckpointError(error, "IO_FAILED"))
      return "not done";
    throw new Violation(`an append beside a stopped one failed: ${String(error)}`, {
      cause: error,
    });
  }
}

/** Every log that agrees with what two appenders were told. */
function logsOf(answers: ReadonlyArray<{ events: readonly object[]; answer: Answer }>): string[][] {
  const [first, second] = answers.map(({ events, answer }) => {
    const batch = events.map((event) => JSON.stringify(event));
    if (answer === "unknown") return [batch, []];
    return answer === "done" ? [batch] : [[]];
  });
  return (first ?? []).flatMap((one) =>
    (second ?? []).flatMap((two) => [
      [...one, ...two],
      [...two, ...one],
    ]),
  );
}
