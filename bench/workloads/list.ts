import type { Handle } from "../../conformance/session-state.ts";
import type { EventObject } from "../../src/index.ts";
import { batchAt, timed } from "../session-work.ts";
import type { WorkKind } from "../workload.ts";

/** Sessions that are made at the same time. */
const atOnce = 32;

/** W09: everything there is, most recent change first. */
export const listSessions: WorkKind = {
  id: "W09",
  workload: "W09",
  title: ({ sessions }) => `list ${sessions.toLocaleString("en")} sessions`,
  per: "list",
  async prepare({ open, events, sizes }) {
    const handle = await open();
    await fillStore(handle, events, sizes.sessions);
    return {
      async run(operations, onLatency) {
        for (let left = operations; left > 0; left -= 1) {
          await timed(onLatency, async () => {
            const { length } = await handle.list();
            if (length !== sizes.sessions)
              throw new Error(`Wanted ${sizes.sessions}, met ${length}`);
          });
        }
      },
    };
  },
};

/** Makes so many sessions of one event. */
export async function fillStore(
  handle: Handle,
  events: readonly EventObject[],
  count: number,
): Promise<void> {
  for (let made = 0; made < count; made += atOnce) {
    const numbers = Array.from(
      { length: Math.min(atOnce, count - made) },
      (_, index) => made + index,
    );
    await Promise.all(
      numbers.map((number) => handle.append(`session-${number}`, batchAt(events, number, 1))),
    );
  }
}
