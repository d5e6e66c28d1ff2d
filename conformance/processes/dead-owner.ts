import { withPrepared } from "../changes.ts";
import type { Context, OwnedContext } from "../context.ts";
import { numbered, numbersOf, sequence } from "../session-state.ts";
import { callsDuring } from "./calls.ts";
import { withProcess } from "./use-processes.ts";

/**
 * Kills a process in the middle of an append, and lets another one append to the same session without
 * any help: it has to get its turn, and what was acknowledged has to be there.
 */
export function killOwner(context: Context): Promise<void> {
  return withPrepared(context, async (store) => {
    const acknowledged = await killInTheMiddle(store);
    const started = performance.now();
    const handle = await store.open();
    await handle.append("s", numbered(99, 99));
    context.note(`taken over after ${((performance.now() - started) / 1_000).toFixed(1)} s`);
    const found = await numbersOf(handle, "s");
    context.check.equal(found.slice(0, acknowledged), sequence(1, acknowledged));
    context.check.same(found.at(-1), 99);
    context.check.atMost(found.length, 8);
  });
}

/** Up to which seq appends were acknowledged before the process was killed. */
async function killInTheMiddle({ fixture }: OwnedContext): Promise<number> {
  return withProcess(fixture, { hooked: true }, async (remote) => {
    await remote.open();
    const first = (): Promise<number> => remote.handle.append("s", numbered(6, 6));
    const calls = await callsDuring(remote, first);
    // Where nothing is seen, the store is killed wherever it is.
    if (calls.length > 0) await remote.arm([{ at: Math.ceil(calls.length / 2), act: "kill" }]);
    const later = remote.handle.append("s", numbered(7, 7)).catch(() => 6);
    if (calls.length === 0) remote.signal("SIGKILL");
    return later;
  });
}
