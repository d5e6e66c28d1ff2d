/** How long a run may look, and where it starts. */
export interface Budget {
  /** Seed of everything generated; the same seed looks at the same values. */
  readonly seed: number;
  /** Multiplies the number of generated runs; 1 is the default run. */
  readonly effort: number;
  /** Where a failing run of generated values was found; looks at that one alone. */
  readonly replay?: Replay | undefined;
}

/** Leads back to one counterexample, in fast-check's own terms. */
export interface Replay {
  readonly path: string;
  /** Of a model run: which of its commands ran. */
  readonly replayPath?: string | undefined;
}

/** What fast-check takes. */
export interface FuzzParameters {
  readonly seed: number;
  readonly numRuns: number;
  readonly path?: string;
  readonly endOnFailure?: boolean;
}

/** The parameters of `runs` generated runs under a budget. */
export function fuzz({ seed, effort, replay }: Budget, runs: number): FuzzParameters {
  const numRuns = Math.max(1, Math.round(runs * effort));
  return replay === undefined
    ? { seed, numRuns }
    : { seed, numRuns, path: replay.path, endOnFailure: true };
}

/** The seed of a run that names none: pinned, so that the same store gets the same answer everywhere. */
export const pinnedSeed = 20_261;
