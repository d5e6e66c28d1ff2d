import { callOutcome, type CallOutcome } from "../call-outcome.ts";
import { withPrepared } from "../changes.ts";
import { Violation } from "../check.ts";
import type { Context } from "../context.ts";
import { numbered, sequence, turn } from "../session-state.ts";
import { contentOf } from "../store-content.ts";
import { callsOf, nameCalls, openReady } from "./calls.ts";
import type { RemoteStore } from "./remote-store.ts";
import { inParallel, withProcess } from "./use-processes.ts";

/** What a rival appends while the owner sleeps. */
const rivalEvents = numbered(201, 202);

/** The owner's own events. */
const ownEvents = numbered(101, 103);

/** The head that a store is prepared with. */
const preparedHead = 5;

/**
 * Stops a process at each call of an append, lets another one take over and append, and wakes it up.
 * What both were told is what the log holds afterwards, each batch once and whole.
 *
 * @param insist - whether both insist on the head that they start from, so that one of them loses
 */
export async function stopOwner(context: Context, insist: boolean): Promise<void> {
  const race: Race = { context, expected: insist ? preparedHead : undefined };
  const { expected } = race;
  const calls = await callsOf(context, (handle) => handle.append("s", ownEvents, expected));
  if (calls.length > 0) {
    await inParallel(sequence(1, calls.length), 3, (at) => stopAt(race, at));
    context.note(`stopped at ${calls.length} ${nameCalls(calls)}`);
    return;
  }
  const stops = 8;
  for (let turns = 0; turns < stops; turns += 1) await stopInFlight(race, turns);
  context.note(`stopped ${stops} times in flight`);
}

/** What both insist on. */
interface Race {
  readonly context: Context;
  readonly expected: number | undefined;
}

function stopAt({ context, expected }: Race, at: number): Promise<void> {
  return withPrepared(context, (store) =>
    withProcess(store.fixture, { hooked: true }, async (remote) => {
      await openReady(remote, store.fixture);
      await remote.arm([{ at, act: "stop" }]);
      const own = answerOf(remote.handle.append("s", ownEvents, expected));
      await Promise.race([remote.stopping(), own]);
      await rivalAndWake({ context: store, expected }, remote, own, `stopped at call ${at}`);
    }),
  );
}

function stopInFlight({ context, expected }: Race, turns: number): Promise<void> {
  return withPrepared(context, (store) =>
    withProcess(store.fixture, {}, async (remote) => {
      await remote.open();
      const own = answerOf(remote.handle.append("s", ownEvents, expected));
      for (let passed = 0; passed < turns; passed += 1) await turn();
      remote.signal("SIGSTOP");
      const where = `stopped in flight, after ${turns} turns`;
      await rivalAndWake({ context: store, expected }, remote, own, where);
    }),
  );
}

async function rivalAndWake(
  { context: store, expected }: Race,
  remote: RemoteStore,
  own: Promise<CallOutcome>,
  where: string,
): Promise<void> {
  await store.fixture.expireLocks?.();
  const rival = await answerOf((await store.open()).append("s", rivalEvents, expected));
  await wake(remote, own);
  const answers = [
    { events: ownEvents, answer: await own },
    { events: rivalEvents, answer: rival },
  ];
  const found = (await contentOf(await store.reopen()))["s"] ?? [];
  const start = numbered(1, 5).map((event) => JSON.stringify(event));
  store.check.equal(found.slice(0, 5), start, `${where}: what was there before`);
  const both = logsOf(answers).filter((log) => expected === undefined || !hasBoth(log));
  const allowed = both.map((log) => JSON.stringify(log));
  store.check.includes(allowed, JSON.stringify(found.slice(5)), `${where}: what the two were told`);
}

/** Wakes a process up until it has answered: a stop is announced before it happens, and a first signal may come before both. */
export async function wake(remote: RemoteStore, own: Promise<CallOutcome>): Promise<void> {
  let isAwake = false;
  const settle = (): void => void (isAwake = true);
  own.then(settle, settle);
  while (!isAwake) {
    remote.signal("SIGCONT");
    await new Promise<void>((next) => void setTimeout(next, 20));
  }
}

/** What an append beside a stopped or late one says of itself. */
export async function answerOf(call: Promise<unknown>): Promise<CallOutcome> {
  try {
    return await callOutcome(call, ["BUSY", "IO_FAILED", "CONFLICT"]);
  } catch (error) {
    throw new Violation(`a change beside a stopped one failed: ${String(error)}`, {
      cause: error,
    });
  }
}

/** Whether both appenders are in a log. */
function hasBoth(log: readonly string[]): boolean {
  return log.length === ownEvents.length + rivalEvents.length;
}

/** Every log that agrees with what two appenders were told. */
function logsOf(
  answers: ReadonlyArray<{ events: readonly object[]; answer: CallOutcome }>,
): string[][] {
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
