import { memoryCheckpointer } from "../../../adapters/memory/index.ts";
import { agentEvents } from "../agent-events.ts";
import { appendOneByOne } from "../fill.ts";
import type { Workload } from "../workload.ts";

const events = agentEvents(500);

/** One append, awaited, beside JSON.stringify and a push. Each run starts a new log. */
export const memoryAppend: Workload = {
  name: "memory-append",
  async prepare() {
    const store = memoryCheckpointer();
    const operations = events.length;
    return {
      contestants: [
        {
          name: "memory",
          operations,
          run: () => appendOneByOne(store, "s", events),
          reset: () => store.delete("s"),
        },
        {
          name: "bare",
          operations,
          run() {
            const log: string[] = [];
            for (const event of events) log.push(JSON.stringify(event));
            if (log.length !== operations) throw new Error("Not everything was pushed");
          },
        },
        {
          name: "bare awaited",
          operations,
          async run() {
            const log: string[] = [];
            const append = async (event: object): Promise<number> =>
              log.push(JSON.stringify(event));
            for (const event of events) await append(event);
          },
        },
      ],
      comparisons: [
        {
          what: "memory, append 1 / JSON.stringify + push",
          subject: "memory",
          floor: "bare",
          goal: { atMost: 1.5 },
        },
        {
          what: "the same / JSON.stringify + push in an awaited function",
          subject: "memory",
          floor: "bare awaited",
        },
      ],
      close: () => store.close(),
    };
  },
};
