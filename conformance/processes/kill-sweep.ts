import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { withPrepared, type Change } from "../changes.ts";
import { Violation } from "../check.ts";
import type { Context, OwnedContext } from "../context.ts";
import type { Fault } from "../faults/fault.ts";
import { numbered, turn } from "../session-state.ts";
import { contentOf, contentText, type StoreContent } from "../store-content.ts";
import { callsOf, nameCalls, openReady } from "./calls.ts";
import { ProcessEnded, type RemoteOptions, type RemoteStore } from "./remote-store.ts";
import { inParallel, whyNoTrace, withProcess } from "./use-processes.ts";

/** The states between which a change leads. */
interface Frame {
  readonly change: Change;
  readonly before: StoreContent;
  readonly after: StoreContent;
}

/** A place to kill: how the process is started and what is armed in it. */
interface Point {
  readonly where: string;
  readonly options: RemoteOptions;
  readonly faults: readonly Fault[];
}

/** The system calls with which native code changes files. */
const systemCalls = ["pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "rename"];

/**
 * Kills a process at each step of a change, each time in a store of its own, and looks at what is
 * left: the old state or the new one, the new one if the change was acknowledged, and a store that
 * works on. The steps are the calls of `node:fs`, or what is sent to a server; where there are none, the
 * system calls that strace sees; where there is no strace, moments during a stream of changes.
 */
export async function sweepKills(context: Context, change: Change): Promise<void> {
  const frame = await frameOf(context, change);
  const calls = await callsOf(context, (handle) => change.run(handle));
  if (calls.length > 0) {
    const points = callPoints(calls);
    // What is said to a server is told apart by the server, and each point costs a process.
    const most = calls.includes("send") ? Math.max(4, 30 * context.budget.effort) : Infinity;
    await killAll(context, frame, spread(points, most), nameCalls(calls));
    return;
  }
  const noTrace = whyNoTrace();
  const traced = noTrace === null ? await systemCallPoints(context, change) : [];
  if (traced.length > 0) {
    await killAll(context, frame, spread(traced, 30 * context.budget.effort), "system calls");
    return;
  }
  // A client of a server changes no files of its own, and may send through native code.
  const reason = noTrace ?? "the process makes no system call that changes files";
  const kills = Math.max(4, Math.round(12 * context.budget.effort));
  for (let kill = 0; kill < kills; kill += 1) await killInFlight(context, frame, kill);
  context.note(`${change.name}: ${kills} kills in flight, since ${reason}`);
}

/** At most `count` items, evenly spread over all of them, the first and the last included. */
function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, (items.length - 1) / Math.max(1, Math.round(count) - 1));
  const places = Array.from({ length: items.length }, (_, index) => Math.round(index * step));
  return places
    .filter((place) => place < items.length)
    .flatMap((place) => items.slice(place, place + 1));
}

function frameOf(context: Context, change: Change): Promise<Frame> {
  return withPrepared(context, async (store) => {
    const handle = await store.open();
    const before = await contentOf(handle);
    await change.run(handle);
    return { change, before, after: await contentOf(handle) };
  });
}

function callPoints(calls: readonly string[]): Point[] {
  const point = (at: number, act: Fault["act"]): Point => ({
    where: `${act} at call ${at} (${calls[at - 1]})`,
    options: { hooked: true },
    faults: [{ at, act }],
  });
  return calls.flatMap((call, index) => {
    const at = index + 1;
    // Behind other calls everything is as it is before the next one.
    const decisive = /write|append|sync|truncate|rename|send/i.test(call) || at === calls.length;
    const torn = /^(?:write|writeFile|appendFile)$/.test(call);
    return [
      point(at, "kill"),
      ...(decisive ? [point(at, "kill-after")] : []),
      ...(torn ? [point(at, "kill-torn")] : []),
    ];
  });
}

async function systemCallPoints(context: Context, change: Change): Promise<Point[]> {
  const log = join(tmpdir(), `conformance-${randomUUID()}.trace`);
  const through = ["strace", "-f", "-qq", "-o", log, "-e", `trace=${systemCalls.join()}`];
  try {
    await withPrepared(context, ({ fixture }) =>
      withProcess(fixture, { through }, async (remote) => {
        await remote.open();
        await change.run(remote.handle);
      }),
    );
    const lines = readFileSync(log, "utf8").split("\n");
    return systemCalls.flatMap((call) => {
      const count = lines.filter((line) => new RegExp(`^\\d+ +${call}\\(`).test(line)).length;
      return Array.from({ length: count }, (_, index) => systemCallPoint(call, index + 1));
    });
  } finally {
    rmSync(log, { force: true });
  }
}

function systemCallPoint(call: string, at: number): Point {
  const inject = `inject=${call}:signal=KILL:when=${at}`;
  const through = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
  return { where: `kill at ${call} ${at}`, options: { through }, faults: [] };
}

async function killAll(
  context: Context,
  frame: Frame,
  points: readonly Point[],
  what: string,
): Promise<void> {
  let cut = 0;
  await inParallel(points, 3, async (point) => {
    if (!(await killAt(context, frame, point))) cut += 1;
  });
  context.note(`${frame.change.name}: ${points.length} kills at ${what}, ${cut} before the answer`);
  context.check.ok(cut > 0, `a kill at ${what} comes before the answer`);
}

/** Whether the change was acknowledged all the same. */
function killAt(
  context: Context,
  frame: Frame,
  { where, options, faults }: Point,
): Promise<boolean> {
  return withPrepared(context, async (store) => {
    const acknowledged = await withProcess(store.fixture, options, async (remote) => {
      // Where system calls count, those of the opening are among them.
      if (options.hooked !== true) return acknowledges(frame.change, remote);
      await openReady(remote, store.fixture);
      await remote.arm(faults);
      return acknowledges(frame.change, remote);
    });
    await judge(store, frame, acknowledged, where);
    return acknowledged;
  });
}

/** Whether the change was acknowledged; the death of the process is no answer. */
async function acknowledges(change: Change, remote: RemoteStore): Promise<boolean> {
  try {
    if (!remote.isOpen()) await remote.open();
    await change.run(remote.handle);
    return true;
  } catch (error) {
    if (!(error instanceof ProcessEnded)) throw error;
    const { signal, code, stderr } = await remote.ended;
    if (signal === "SIGKILL" || code === 137) return false;
    throw new Violation(`the process ended with ${signal ?? code}: ${stderr}`, { cause: error });
  }
}

/** Kills a process that is at it, without knowing where it is. */
function killInFlight(context: Context, frame: Frame, kill: number): Promise<void> {
  return withPrepared(context, async (store) => {
    const acknowledged = await withProcess(store.fixture, {}, async (remote) => {
      await remote.open();
      const answer = acknowledges(frame.change, remote);
      for (let passed = 0; passed < kill; passed += 1) await turn();
      remote.signal("SIGKILL");
      return answer;
    });
    await judge(store, frame, acknowledged, `kill in flight, after ${kill} turns`);
  });
}

async function judge(
  store: OwnedContext,
  { change, before, after }: Frame,
  acknowledged: boolean,
  where: string,
): Promise<void> {
  const { check, fixture } = store;
  const handle = await store.open();
  const found = await contentOf(handle);
  const isNew = contentText(found) === contentText(after);
  // Where nothing was acknowledged, both the old and the new state are right; nothing else ever is.
  check.equal(found, isNew || acknowledged ? after : before, `${change.name}, ${where}`);
  await fixture.expireLocks?.();
  if (change.requires?.includes("idempotency") === true) {
    await change.run(handle);
    check.equal(await contentOf(handle), after, `${change.name}, ${where}, and the same key again`);
  }
  const known = (await contentOf(handle))[change.sessionId] ?? [];
  const head = await handle.append(change.sessionId, numbered(99, 99));
  check.same(head, known.length + 1, `${change.name}, ${where}: the next append`);
  const [event] = numbered(99, 99);
  const wanted = [...known, JSON.stringify(event)];
  check.equal(
    (await contentOf(handle))[change.sessionId],
    wanted,
    `${change.name}, ${where}, later`,
  );
}
