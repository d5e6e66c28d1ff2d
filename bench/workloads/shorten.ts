import type { Handle } from "../../conformance/session-state.ts";
import { fillSession, timed } from "../session-work.ts";
import type { WorkContext, WorkKind } from "../workload.ts";

/** Copies that one block uses up. */
const most = 8;
const source = "source";

/** W10: keeps the first half of a session. */
export const truncateSession: WorkKind = {
  id: "W10/truncate",
  workload: "W10",
  title: ({ session }) => `truncate ${session.toLocaleString("en")} events to half`,
  per: "truncate",
  most,
  refusal: ({ truncate }) => (truncate ? null : "truncate is not claimed"),
  prepare: (context) =>
    onCopies(context, (handle, copy) => handle.truncate(copy, context.sizes.session / 2)),
};

/** W10: a second session with the same events. */
export const forkSession: WorkKind = {
  id: "W10/fork",
  workload: "W10",
  title: ({ session }) => `fork at ${session.toLocaleString("en")} events`,
  per: "fork",
  most,
  refusal: ({ fork }) => (fork ? null : "fork is not claimed"),
  async prepare({ open, events, sizes }) {
    const handle = await open();
    await fillSession(handle, source, events, sizes.session);
    const forks: string[] = [];
    return {
      async run(operations, onLatency) {
        for (let left = operations; left > 0; left -= 1) {
          const fork = `fork-${forks.length}`;
          forks.push(fork);
          await timed(onLatency, () => handle.fork(source, sizes.session, fork));
        }
      },
      async reset() {
        for (const fork of forks.splice(0)) await handle.delete(fork);
      },
    };
  },
};

/** W10: a whole session goes. */
export const deleteSession: WorkKind = {
  id: "W10/delete",
  workload: "W10",
  title: ({ session }) => `delete ${session.toLocaleString("en")} events`,
  per: "delete",
  most,
  prepare: (context) => onCopies(context, (handle, copy) => handle.delete(copy)),
};

/** Work that uses up a session each time. */
async function onCopies(
  { open, events, sizes, manifest }: WorkContext,
  operate: (handle: Handle, copy: string) => Promise<void>,
): ReturnType<WorkKind["prepare"]> {
  const handle = await open();
  await fillSession(handle, source, events, sizes.session);
  const copies: string[] = [];
  return {
    async arrange(operations) {
      while (copies.length < operations) {
        const copy = `copy-${copies.length}`;
        if (manifest.fork) await handle.fork(source, sizes.session, copy);
        else await fillSession(handle, copy, events, sizes.session);
        copies.push(copy);
      }
    },
    async run(operations, onLatency) {
      for (const copy of copies.slice(0, operations)) {
        await timed(onLatency, () => operate(handle, copy));
      }
    },
    async reset() {
      for (const copy of copies.splice(0)) await handle.delete(copy);
    },
  };
}
