/** One of the things that are timed against each other. */
export interface Contestant {
  readonly name: string;
  /** Operations in one `run`; times are reported per operation. */
  readonly operations: number;
  readonly run: () => Promise<void> | void;
  /** Undoes what `run` did; not timed. */
  readonly reset?: () => Promise<void>;
}

/** A row of the report: how one contestant does beside another. */
export interface Comparison {
  readonly what: string;
  readonly subject: string;
  /** Left out: only the time is of interest. */
  readonly floor?: string;
  /** At most: subject / floor. At least: floor / subject, for things that have to be faster. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number };
}

/** A workload that is ready to be timed. */
export interface Prepared {
  readonly contestants: readonly Contestant[];
  readonly comparisons: readonly Comparison[];
  readonly close: () => Promise<void>;
}

/** A workload that this machine has no server for, and what to do about it. */
interface Skipped {
  readonly skipped: string;
}

/** Something to measure. */
export interface Workload {
  readonly name: string;
  /** @param folder - fresh and its own; removed afterwards */
  readonly prepare: (folder: string) => Promise<Prepared | Skipped>;
}
