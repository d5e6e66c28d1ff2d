import { withPrepared } from "../changes.ts";
import type { Context } from "../context.ts";
import type { Handle } from "../session-state.ts";
import type { RemoteStore } from "./remote-store.ts";
import { withProcess } from "./use-processes.ts";

/** The calls of `node:fs` with which a process changes something during `work`, by name. */
export async function fileCallsDuring(
  remote: RemoteStore,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  await remote.arm([]);
  await work();
  return (await remote.disarm()).calls;
}

/** The same for work on a prepared store in a process of its own; none where native code does it. */
export function fileCallsOf(
  context: Context,
  work: (handle: Handle) => Promise<unknown>,
): Promise<readonly string[]> {
  return withPrepared(context, ({ fixture }) =>
    withProcess(fixture, { hooked: true }, async (remote) => {
      await remote.open();
      return fileCallsDuring(remote, () => work(remote.handle));
    }),
  );
}
