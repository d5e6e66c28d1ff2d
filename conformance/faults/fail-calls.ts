import { callOutcome, type CallOutcome } from "../call-outcome.ts";
import { withPrepared, type Change } from "../changes.ts";
import type { Context, OwnedContext } from "../context.ts";
import { callsDuring } from "../processes/calls.ts";
import type { RemoteStore } from "../processes/remote-store.ts";
import { withProcess } from "../processes/use-processes.ts";
import { numbered } from "../session-state.ts";
import { contentOf, contentText, type StoreContent } from "../store-content.ts";
import type { Fault } from "./fault.ts";

/** A change with the states between which it leads, and the calls that it makes. */
interface Frame {
  readonly change: Change;
  readonly before: StoreContent;
  readonly after: StoreContent;
  readonly calls: readonly string[];
}

/** What a full, broken or forbidden disk does to a call. */
function faultsOf(call: string, at: number): Fault[] {
  const fail = (...codes: string[]): Fault[] => codes.map((code) => ({ at, act: "fail", code }));
  if (/^open|^mkdtemp/.test(call)) return fail("EMFILE", "EACCES", "ENOSPC");
  if (/write|append|copy/i.test(call)) return [...fail("ENOSPC", "EIO"), { at, act: "short" }];
  return call.endsWith("sync") ? fail("EIO") : fail("EIO", "EACCES");
}

/**
 * Lets each call of a change fail in every way, each time in a store of its own. The change is done,
 * not done or of unknown outcome, as it says; and once the disk is well again, so is the store.
 */
export async function failCalls(context: Context, change: Change): Promise<void> {
  await withProcess(context.fixture, { hooked: true }, async (remote) => {
    const frame = await frameOf(context, change, remote);
    const { length } = frame.calls;
    const faults = frame.calls.flatMap((call, index) => faultsOf(call, index + 1));
    let fired = 0;
    for (const fault of faults) if (await failAt(context, frame, remote, fault)) fired += 1;
    // A change may make more calls than it did the first time; none of them is left out.
    for (let at = length + 1; at < length + 50; at += 1) {
      if (!(await failAt(context, frame, remote, { at, act: "fail", code: "EIO" }))) break;
      fired += 1;
    }
    context.note(`${change.name}: ${fired} faults`);
    context.check.ok(fired > 0, `${change.name} makes calls of node:fs that can fail`);
  });
}

/** Lets each sync of a change fail once, although it would succeed when it was tried again. */
export async function failSyncs(context: Context, change: Change): Promise<void> {
  await withProcess(context.fixture, { hooked: true }, async (remote) => {
    let failed = 0;
    while (await failSyncAt(context, change, remote, failed + 1)) failed += 1;
    context.note(`${change.name}: ${failed} failed syncs`);
    context.check.ok(failed > 0, `${change.name} syncs what it acknowledges`);
  });
}

async function frameOf(context: Context, change: Change, remote: RemoteStore): Promise<Frame> {
  return inStore(context, remote, async () => {
    const before = await contentOf(remote.handle);
    const calls = await callsDuring(remote, () => change.run(remote.handle));
    return { change, before, after: await contentOf(remote.handle), calls };
  });
}

/** Runs `work` with a prepared store that is open in the process. */
function inStore<T>(
  context: Context,
  remote: RemoteStore,
  work: (store: OwnedContext) => Promise<T>,
): Promise<T> {
  return withPrepared(context, async (store) => {
    await remote.open(store.fixture);
    const result = await work(store);
    await remote.handle.close();
    return result;
  });
}

/** Whether the fault happened. */
async function failAt(
  context: Context,
  { change, before, after, calls }: Frame,
  remote: RemoteStore,
  fault: Fault,
): Promise<boolean> {
  const what = fault.act === "short" ? "is short" : `gives ${fault.code}`;
  const where = `${change.name}, call ${fault.at} (${calls[fault.at - 1]}) ${what}`;
  return inStore(context, remote, async ({ fixture, open, check }) => {
    // As it was when the calls were counted: what a first look costs is behind it.
    await contentOf(remote.handle);
    await remote.arm([fault]);
    const verdict = await verdictOf(change.run(remote.handle));
    const { fired } = await remote.disarm();
    await fixture.expireLocks?.();
    const found = await contentOf(await open());
    const isNew = contentText(found) === contentText(after);
    const wanted = { done: after, "not done": before, unknown: isNew ? after : before };
    check.equal(found, wanted[verdict], `${where}, said to be ${verdict}`);
    // The handle may want to be opened anew, and says so; a new one has to work.
    await verdictOf(remote.handle.append("other", numbered(2, 2)));
    await remote.open(fixture);
    const { length } = (await contentOf(remote.handle))[change.sessionId] ?? [];
    const head = await remote.handle.append(change.sessionId, numbered(99, 99));
    check.same(head, (length ?? 0) + 1, `${where}: the next append`);
    return fired > 0;
  });
}

function verdictOf(call: Promise<unknown>): Promise<CallOutcome> {
  return callOutcome(call, ["IO_FAILED", "BUSY"]);
}

/** Whether there was a sync to fail. */
async function failSyncAt(
  context: Context,
  change: Change,
  remote: RemoteStore,
  at: number,
): Promise<boolean> {
  return inStore(context, remote, async ({ check, fixture }) => {
    await remote.arm([{ at, act: "fail", code: "EIO", counts: "syncs" }]);
    const verdict = await verdictOf(change.run(remote.handle));
    const { fired } = await remote.disarm();
    await fixture.expireLocks?.();
    if (fired === 0) return false;
    const where = `${change.name} whose sync ${at} failed is not acknowledged`;
    check.ok(verdict !== "done", where);
    return true;
  });
}
