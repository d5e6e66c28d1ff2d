import { fillSession, readSession, timed } from "../session-work.ts";
import type { Sizes, WorkKind } from "../workload.ts";

/** Events that an agent looks at when it goes on. */
export const lastEvents = 50;

/** W07: a whole session, from its first event. */
export const readWhole: WorkKind = {
  id: "W07",
  workload: "W07",
  title: ({ session }) => `read a session of ${session.toLocaleString("en")} events`,
  per: "event",
  parts: ({ session }) => session,
  async prepare({ open, events, sizes }) {
    const handle = await open();
    await fillSession(handle, "read", events, sizes.session);
    return {
      async run(operations, onLatency) {
        for (let left = operations; left > 0; left -= 1) {
          await timed(onLatency, () => readSession(handle, "read", 0, sizes.session));
        }
      },
    };
  },
};

function resumeOf(id: string, eventsIn: (sizes: Sizes) => number): WorkKind {
  return {
    id,
    workload: "W08",
    title: (sizes) => `resume: the last ${lastEvents} of ${eventsIn(sizes).toLocaleString("en")}`,
    per: "resume",
    async prepare({ open, events, sizes }) {
      const handle = await open();
      await fillSession(handle, "resume", events, eventsIn(sizes));
      return {
        async run(operations, onLatency) {
          for (let left = operations; left > 0; left -= 1) {
            await timed(onLatency, async () => {
              const head = await handle.head("resume");
              await readSession(handle, "resume", head - lastEvents, lastEvents);
            });
          }
        },
      };
    },
  };
}

/** W08: what an agent does when it goes on: the head, then what is right before it. */
export const resumeSession: WorkKind = resumeOf("W08", ({ session }) => session);
export const resumeLarge: WorkKind = resumeOf("W08/large", ({ large }) => large);
