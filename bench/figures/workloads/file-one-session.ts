import { join } from "node:path";
import { fileCheckpointer } from "../../../adapters/file/index.ts";
import { agentEvents } from "../agent-events.ts";
import { lineOf, openBareLog } from "../bare-log.ts";
import { appendOneByOne } from "../fill.ts";
import type { Workload } from "../workload.ts";

const appenders = 64;
const appendsEach = 40;
const events = agentEvents(appenders);
const lines = events.map(lineOf);

/** 64 loops of awaited appends to one session, beside write + fdatasync one after the other. */
export const fileOneSession: Workload = {
  name: "file-one-session",
  async prepare(folder) {
    const store = fileCheckpointer({ dir: join(folder, "store") });
    const bare = openBareLog(join(folder, "bare.log"));
    return {
      contestants: [
        {
          name: "kit",
          operations: appenders * appendsEach,
          async run() {
            const own = events.map((event) => Array.from({ length: appendsEach }, () => event));
            await Promise.all(own.map((list) => appendOneByOne(store, "s", list)));
          },
        },
        {
          name: "bare",
          operations: appenders,
          run() {
            for (const line of lines) bare.append(line);
          },
        },
      ],
      comparisons: [
        {
          what: "file power, 64 appenders on one session: times faster than write + fdatasync",
          subject: "kit",
          floor: "bare",
          goal: { atLeast: 15 },
        },
      ],
      async close() {
        await store.close();
        bare.close();
      },
    };
  },
};
