import { batchAt, readSession, timed } from "../session-work.ts";
import type { WorkKind } from "../workload.ts";

const sessionEvents = 20;
/** The sessions that are there, as a share of those that W09 lists. */
const share = 0.1;

/** W14: a new handle onto a store of many sessions, the first read, and away with it. */
export const coldOpen: WorkKind = {
  id: "W14",
  workload: "W14",
  title: ({ sessions }) =>
    `open a store of ${(sessions * share).toLocaleString("en")} sessions and read one`,
  per: "open",
  refusal: ({ concurrency }) =>
    concurrency === "instance" ? "one object is the whole store, there is nothing to open" : null,
  async prepare({ open, events, sizes }) {
    const count = Math.max(1, Math.round(sizes.sessions * share));
    const filler = await open();
    for (let number = 0; number < count; number += 1) {
      await filler.append(`session-${number}`, batchAt(events, number, sessionEvents));
    }
    await (filler as Partial<typeof filler>).close?.();
    let next = 0;
    return {
      async run(operations, onLatency) {
        for (let left = operations; left > 0; left -= 1) {
          next = (next + 7) % count;
          await timed(onLatency, async () => {
            const handle = await open();
            await readSession(handle, `session-${next}`, 0, sessionEvents);
            await (handle as Partial<typeof handle>).close?.();
          });
        }
      },
    };
  },
};
