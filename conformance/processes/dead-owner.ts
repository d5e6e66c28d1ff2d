import { prepareSessions } from "../changes.ts";
import type { Context } from "../context.ts";
import { numbered, numbersOf } from "../session-state.ts";
import { withProcess } from "./use-processes.ts";

/**
 * Kills a process in the middle of its appends, and lets another one append to the same session
 * without any help: it has to get its turn, and what was acknowledged has to be there.
 */
export async function killOwner(context: Context): Promise<void> {
  const store = await context.another();
  try {
    await prepareSessions(await store.open());
    await store.closeAll();
    const acknowledged = await withProcess(store.fixture, {}, async (remote) => {
      await remote.open();
      await remote.handle.append("s", numbered(6, 6));
      const later = remote.handle.append("s", numbered(7, 7)).catch(() => undefined);
      await remote.kill();
      return (await later) === undefined ? 6 : 7;
    });
    const started = performance.now();
    const handle = await store.open();
    await handle.append("s", numbered(99, 99));
    context.note(`taken over after ${((performance.now() - started) / 1_000).toFixed(1)} s`);
    const found = await numbersOf(handle, "s");
    context.check.equal(
      found.slice(0, acknowledged),
      numbered(1, acknowledged).map(({ n }) => n),
    );
    context.check.same(found.at(-1), 99);
    context.check.atMost(found.length, 8);
  } finally {
    await store.dispose();
  }
}
