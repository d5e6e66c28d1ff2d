import type { EventObject } from "../../src/index.ts";
import { batchAt } from "../session-work.ts";
import type { Sizes, Work } from "../workload.ts";
import type { Floor, FloorOperation } from "./floor.ts";

/** What a kind of work is compared with, and how that is run. */
export interface FloorWork {
  readonly operation: FloorOperation;
  readonly prepare: (
    floor: Floor,
    events: readonly EventObject[],
    sizes: Sizes,
  ) => Promise<Work> | Work;
}

/** Bare appends of so many events, one after the other. */
export function bareAppends(size: number): FloorWork {
  return {
    operation: "append",
    prepare(floor, events) {
      let place = 0;
      return {
        async run(operations) {
          for (let left = operations; left > 0; left -= 1) {
            const batch = batchAt(events, place, size);
            place += size;
            const pending = floor.append(batch);
            if (pending !== undefined) await pending;
          }
        },
        reset: async () => floor.clear(),
      };
    },
  };
}

/** A bare read of a whole log. */
export const bareRead: FloorWork = {
  operation: "read",
  prepare: async (floor, events, { session }) => {
    await fill(floor, events, session);
    return repeat(() => floor.read(), session);
  },
};

/** A bare read of the last events of a log. */
export function bareReadLast(count: number, eventsIn: (sizes: Sizes) => number): FloorWork {
  return {
    operation: "readLast",
    prepare: async (floor, events, sizes) => {
      await fill(floor, events, eventsIn(sizes));
      return repeat(() => floor.readLast(count), count);
    },
  };
}

/** A bare look at all logs. */
export const bareList: FloorWork = {
  operation: "list",
  async prepare(floor, events, { sessions }) {
    const [event = {}] = events;
    await floor.fillLogs(sessions, event);
    return repeat(() => floor.list(), sessions);
  },
};

async function fill(floor: Floor, events: readonly EventObject[], count: number): Promise<void> {
  const size = 500;
  for (let filled = 0; filled < count; filled += size) {
    await floor.append(batchAt(events, filled, Math.min(size, count - filled)));
  }
}

function repeat(operation: () => number | Promise<number>, wanted: number): Work {
  return {
    async run(operations) {
      for (let left = operations; left > 0; left -= 1) {
        const met = await operation();
        if (met !== wanted) throw new Error(`A floor wanted ${wanted}, met ${met}`);
      }
    },
  };
}
