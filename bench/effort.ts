import type { EffortName } from "./bench-report.ts";
import type { Sizes } from "./workload.ts";

/** How much is measured, and how long. */
export interface Effort {
  readonly name: EffortName;
  readonly blocks: number;
  /** Of one store in one block. */
  readonly blockMilliseconds: number;
  /** Of one distribution of latencies. */
  readonly latencyMilliseconds: number;
  readonly sizes: Sizes;
}

/** With `quick`, all workloads on memory, file and SQLite take less than 90 seconds on two cores. */
export const efforts: Readonly<Record<EffortName, Effort>> = {
  quick: {
    name: "quick",
    blocks: 9,
    blockMilliseconds: 30,
    latencyMilliseconds: 700,
    sizes: { session: 2_000, large: 10_000, sessions: 500 },
  },
  full: {
    name: "full",
    // As many as intervals of a few percent need, by the calibration in docs/bench-gate.md.
    blocks: 30,
    blockMilliseconds: 250,
    latencyMilliseconds: 10_000,
    sizes: { session: 10_000, large: 100_000, sessions: 10_000 },
  },
};

/** The same with another time for each workload on each store. */
export function withDuration(effort: Effort, milliseconds: number): Effort {
  return {
    ...effort,
    blockMilliseconds: milliseconds / effort.blocks,
    latencyMilliseconds: milliseconds,
  };
}
