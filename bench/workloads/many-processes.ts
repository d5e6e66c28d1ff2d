import { median } from "simple-statistics";
import { startBenchProcess, type BenchProcess } from "../processes/start-bench-process.ts";
import type { WorkKind } from "../workload.ts";

/** Processes that write at the same time. */
const processes = 4;

/** W06: processes that append to sessions of their own in one store. */
export const manyProcesses: WorkKind = {
  id: "W06",
  workload: "W06",
  title: () => `${processes} processes on one store`,
  per: "append",
  least: processes,
  refusal: ({ concurrency }, fixture) => {
    if (concurrency === "instance" || concurrency === "process") {
      return "more than one process is not claimed";
    }
    return fixture?.processModule === undefined ? "the fixture has no processModule" : null;
  },
  async prepare({ fixture, events }) {
    if (fixture === undefined) throw new TypeError("W06 needs a fixture");
    const children: BenchProcess[] = [];
    while (children.length < processes) children.push(await startBenchProcess(fixture, events));
    const shares: number[] = [];
    const appendAll = (appends: number): Promise<readonly unknown[]> =>
      Promise.all(
        children.map((child, index) =>
          child.ask({ do: "append", sessionId: `process-${index}`, batch: 1, appends }),
        ),
      );
    // Files and sessions are made by the first append.
    await appendAll(1);
    return {
      async run(operations) {
        const appends = Math.max(1, Math.round(operations / processes));
        const milliseconds = (await appendAll(appends)).map(Number);
        shares.push(Math.min(...milliseconds) / Math.max(...milliseconds));
      },
      details: () => [
        { name: "fairness", value: median(shares), unit: "fastest / slowest process" },
      ],
      close: async () => void (await Promise.all(children.map((child) => child.end()))),
    };
  },
};
