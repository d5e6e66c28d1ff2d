import { withPrepared } from "../changes.ts";
import type { Context } from "../context.ts";
import type { Fixture } from "../fixture.ts";
import type { Handle } from "../session-state.ts";
import type { RemoteStore } from "./remote-store.ts";
import { withProcess } from "./use-processes.ts";

/** Opens a store in a process; a client of a server is connected then, so that its calls are the change's own. */
export async function openReady(remote: RemoteStore, { server }: Fixture): Promise<void> {
  await remote.open();
  if (server !== undefined) await remote.handle.head("s");
}

/** The calls with which a process changes files or sends something during `work`, by name. */
export async function callsDuring(
  remote: RemoteStore,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  await remote.arm([]);
  await work();
  return (await remote.disarm()).calls;
}

/** The same for work on a prepared store in a process of its own; none where native code does it. */
export function callsOf(
  context: Context,
  work: (handle: Handle) => Promise<unknown>,
): Promise<readonly string[]> {
  return withPrepared(context, ({ fixture }) =>
    withProcess(fixture, { hooked: true }, async (remote) => {
      await openReady(remote, fixture);
      return callsDuring(remote, () => work(remote.handle));
    }),
  );
}

/** What reports call such calls. */
export function nameCalls(calls: readonly string[]): string {
  return calls.every((name) => name === "send") ? "sends to the server" : "calls of node:fs";
}
