import type { Handle } from "../../conformance/session-state.ts";
import { CheckpointConflictError, type EventObject } from "../../src/index.ts";
import { batchAt, growSessions, timed } from "../session-work.ts";
import type { WorkContext, WorkKind } from "../workload.ts";

/** Writers at the same time. */
const writers = 8;

/** W04: writers that have nothing to do with each other. */
export const writersApart: WorkKind = {
  id: "W04",
  workload: "W04",
  title: () => `${writers} writers on sessions of their own`,
  per: "append",
  least: writers,
  async prepare(context) {
    const { events } = context;
    const handles = await openWriters(context);
    const owners = handles.map((handle, writer) => [`writer-${writer}`, handle] as const);
    const sessions = growSessions(owners, events);
    await sessions.begin();
    let appended = 0;
    return {
      async run(operations, onLatency) {
        appended = operations;
        const share = sharesOf(operations);
        await Promise.all(
          owners.map(async ([sessionId, handle], writer) => {
            for (let place = 0; place < share(writer); place += 1) {
              const batch = batchAt(events, place, 1);
              await timed(onLatency, () => handle.append(sessionId, batch));
            }
          }),
        );
      },
      reset: () => sessions.grown(appended),
    };
  },
};

/** W05: writers that insist on the head they saw, and look again when another one was faster. */
export const writersTogether: WorkKind = {
  id: "W05",
  workload: "W05",
  title: () => `${writers} writers on one session, compare and retry`,
  per: "commit",
  least: writers,
  async prepare(context) {
    const { events } = context;
    const handles = await openWriters(context);
    const tally = { commits: 0, conflicts: 0 };
    const [first] = handles;
    const sessions = growSessions(first === undefined ? [] : [["shared", first]], events);
    await sessions.begin();
    let appended = 0;
    return {
      async run(operations, onLatency) {
        appended = operations;
        const share = sharesOf(operations);
        await Promise.all(
          handles.map(async (handle, writer) => {
            for (let left = share(writer); left > 0; left -= 1) {
              await timed(onLatency, () => commit(handle, batchAt(events, left, 1), tally));
            }
          }),
        );
      },
      reset: () => sessions.grown(appended),
      details: () => [
        {
          name: "conflicts",
          value: tally.conflicts / Math.max(1, tally.commits),
          unit: "conflicts/commit",
        },
      ],
    };
  },
};

async function openWriters({ open }: WorkContext): Promise<readonly Handle[]> {
  const handles: Handle[] = [];
  while (handles.length < writers) handles.push(await open());
  return handles;
}

/** Everybody's part of so many operations, all of them together. */
function sharesOf(operations: number): (writer: number) => number {
  return (writer) => Math.floor((operations + writer) / writers);
}

async function commit(
  handle: Handle,
  batch: readonly EventObject[],
  tally: { commits: number; conflicts: number },
): Promise<void> {
  for (;;) {
    try {
      await handle.append("shared", batch, await handle.head("shared"));
      tally.commits += 1;
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
      tally.conflicts += 1;
    }
  }
}

/** Also of a store that is loaded from another copy of the kit. */
function isConflict(error: unknown): boolean {
  if (error instanceof CheckpointConflictError) return true;
  return (error as { code?: unknown } | null)?.code === "CONFLICT";
}
