import type { WorkKind } from "../workload.ts";
import { batchAt, growSessions, timed } from "../session-work.ts";

const sessionId = "append";

/** Appends `size` events at once, one append after the other, to one session. */
function appendBatches(id: string, workload: string, size: number): WorkKind {
  return {
    id,
    workload,
    title: () => (size === 1 ? "append 1" : `append ${size} at once`),
    per: "event",
    parts: () => size,
    async prepare({ open, events }) {
      const handle = await open();
      const sessions = growSessions([[sessionId, handle]], events);
      await sessions.begin();
      let place = 0;
      let appended = 0;
      return {
        async run(operations, onLatency) {
          appended = operations * size;
          for (let left = operations; left > 0; left -= 1) {
            const batch = batchAt(events, place, size);
            place += size;
            await timed(onLatency, () => handle.append(sessionId, batch));
          }
        },
        reset: () => sessions.grown(appended),
      };
    },
  };
}

/** W01 and W02: the plain append, alone and in batches. */
export const appendOne: WorkKind = appendBatches("W01", "W01", 1);
export const appendTen: WorkKind = appendBatches("W02/10", "W02", 10);
export const appendHundred: WorkKind = appendBatches("W02/100", "W02", 100);

/** W03: an append that insists on the head it saw. */
export const appendExpecting: WorkKind = {
  id: "W03",
  workload: "W03",
  title: () => "append 1 with an expected head",
  per: "event",
  async prepare({ open, events }) {
    const handle = await open();
    const sessions = growSessions([[sessionId, handle]], events);
    await sessions.begin();
    let head = await handle.head(sessionId);
    let appended = 0;
    return {
      async run(operations, onLatency) {
        appended = operations;
        for (let left = operations; left > 0; left -= 1) {
          const batch = batchAt(events, head, 1);
          await timed(onLatency, async () => {
            head = await handle.append(sessionId, batch, head);
          });
        }
      },
      async reset() {
        await sessions.grown(appended);
        head = await handle.head(sessionId);
      },
    };
  },
};
