import process from "node:process";

/** The parameters of a property, as fast-check takes them. */
export interface FuzzParameters {
  readonly seed: number;
  readonly numRuns: number;
}

/**
 * A pinned seed, so that a run is the same everywhere; fast-check prints it when it fails. The
 * variables FUZZ_SEED and SOAK_RUNS look elsewhere and for longer.
 */
export function fuzz(runs: number): FuzzParameters {
  const { FUZZ_SEED: seed, SOAK_RUNS: soak } = process.env;
  return { seed: Number(seed ?? 20_261), numRuns: Math.max(runs, Number(soak ?? 0)) };
}
