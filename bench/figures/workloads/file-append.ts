import { join } from "node:path";
import { fileCheckpointer } from "../../../adapters/file/index.ts";
import { agentEvents } from "../agent-events.ts";
import { lineOf, openBareLog } from "../bare-log.ts";
import { appendOneByOne } from "../fill.ts";
import type { Workload } from "../workload.ts";

const events = agentEvents(200);
const lines = events.map(lineOf);

/** One append, awaited, lock included, beside write + fdatasync of the same bytes. */
export const fileAppend: Workload = {
  name: "file-append",
  async prepare(folder) {
    const power = fileCheckpointer({ dir: join(folder, "power") });
    const process = fileCheckpointer({ dir: join(folder, "process"), durability: "process" });
    const bare = openBareLog(join(folder, "bare.log"));
    const bareAsync = openBareLog(join(folder, "bare-async.log"));
    const operations = events.length;
    return {
      contestants: [
        { name: "power", operations, run: () => appendOneByOne(power, "s", events) },
        {
          name: "bare",
          operations,
          run() {
            for (const line of lines) bare.append(line);
          },
        },
        {
          name: "bare async",
          operations,
          async run() {
            for (const line of lines) await bareAsync.appendAsync(line);
          },
        },
        { name: "process", operations, run: () => appendOneByOne(process, "s", events) },
      ],
      comparisons: [
        {
          what: "file power, append 1 / writeSync + fdatasyncSync",
          subject: "power",
          floor: "bare",
          goal: { atMost: 1.3 },
        },
        {
          what: "the same / writeSync + asynchronous fdatasync",
          subject: "power",
          floor: "bare async",
        },
        { what: "file process, append 1", subject: "process" },
      ],
      async close() {
        await power.close();
        await process.close();
        bare.close();
        bareAsync.close();
      },
    };
  },
};
