/** What came of a run of the benchmarks: plain JSON, with everything that was measured. */
export interface BenchReport {
  /** Version of this shape. Members may be added to a version; none is removed or changes its meaning. */
  readonly format: 1;
  /** The kit's version. */
  readonly suite: string;
  /** When the run began, as an ISO timestamp. */
  readonly startedAt: string;
  readonly milliseconds: number;
  readonly environment: BenchEnvironment;
  readonly effort: EffortName;
  readonly seed: number;
  readonly input: BenchInput;
  readonly subjects: readonly SubjectSummary[];
  readonly figures: readonly Figure[];
  readonly counters: readonly CounterSet[];
  /** What was left out, and why. */
  readonly skipped: readonly SkippedWorkload[];
}

/** How long a run takes: `quick` stays under 90 seconds on two cores. */
export type EffortName = "quick" | "full";

/** What figures depend on. */
export interface BenchEnvironment {
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  /** Of the folder that the stores were in; null where the platform does not tell. */
  readonly fileSystem: string | null;
  /** Microseconds that a write of 4 KiB and `fdatasync` took there, the median of 50. */
  readonly syncMicroseconds: number;
  /** Of SQLite, where a store or a floor used it. */
  readonly sqlite: string | null;
  /** Load average over one minute when the run began. */
  readonly load: number;
  /** Of the working directory, where it is in a Git repository. */
  readonly commit: string | null;
}

/** The events that were appended. */
export interface BenchInput {
  /** `generated`, or the name of the transcript's file. */
  readonly name: string;
  readonly events: number;
  /** Bytes of their JSON texts: the median, and the 99th percentile. */
  readonly medianBytes: number;
  readonly p99Bytes: number;
}

/** One store as it was measured. */
export interface SubjectSummary {
  /** Unique in a report, for example `sqlite` or `sqlite, sealed`. */
  readonly name: string;
  /** The subject that differs from this one by the codec alone; null where that is itself. */
  readonly plain: string | null;
  /** The bare operation beside it. */
  readonly floor: string;
  readonly durability: string;
  readonly concurrency: string;
}

/** One workload on one store. */
export interface Figure {
  /** Unique among the figures of a subject, for example `W02/100`. */
  readonly id: string;
  /** A key of {@link workloadTitles}. */
  readonly workload: string;
  /** For example `append 100 at once`. */
  readonly title: string;
  /** Name of a {@link SubjectSummary}. */
  readonly subject: string;
  /** What a time is the time of, for example `append` or `event`. */
  readonly per: string;
  /** In the order in which they were measured. Times with the same index were measured in turn. */
  readonly blocks: readonly Block[];
  /** Milliseconds for one. */
  readonly time: Spread;
  /** What the bare operation is, and its milliseconds; null where nothing compares. */
  readonly floor: { readonly name: string; readonly time: Spread } | null;
  /** Of the blocks' ratios to the floor. */
  readonly ratio: Interval | null;
  /** Of the blocks' ratios to the plain subject; null for a plain one. */
  readonly codecRatio: Interval | null;
  /** One entry a distribution, for example with and without a reader. */
  readonly latencies: readonly Latency[];
  /** How the time grows with the session; at least two points, or none. */
  readonly growth: readonly GrowthPoint[];
  /** What else was found, for example conflicts per commit. */
  readonly details: readonly Detail[];
}

/** Milliseconds for one, in a stretch of time in which every contestant had its turn. */
export interface Block {
  readonly time: number;
  readonly floor: number | null;
  readonly plain: number | null;
}

/** Of several measurements. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** A ratio, and where it lies with 95 % confidence. */
export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** A distribution of latencies, in milliseconds. */
export interface Latency {
  /** For example `append`, or `80 % of capacity`. */
  readonly name: string;
  /** Where latency counts from: the planned start, or the call. */
  readonly from: "intended" | "call";
  /** Calls. */
  readonly count: number;
  /** Planned calls a second; null where each waits for the one before it. */
  readonly rate: number | null;
  /** Rising pairs of percentile (0 to 100) and milliseconds; always with 50, 90, 99, 99.9 and 100. */
  readonly percentiles: ReadonlyArray<readonly [percentile: number, milliseconds: number]>;
}

/** What one operation costs behind so many events. */
export interface GrowthPoint {
  readonly events: number;
  readonly milliseconds: Spread;
}

/** A number with its unit. */
export interface Detail {
  readonly name: string;
  readonly value: number;
  /** For example `conflicts/commit`, `MiB`, `events/s`, `ratio`. */
  readonly unit: string;
}

/** What a store does for one append, counted and not timed, and so the same at every run. */
export interface CounterSet {
  /** Name of a {@link SubjectSummary}. */
  readonly subject: string;
  /** Events in the append. */
  readonly batch: number;
  /** What was counted by, for example `strace` or `node:fs`; says what could not be seen. */
  readonly countedBy: string;
  readonly counters: readonly Counter[];
}

/** A count for one append. */
export interface Counter {
  readonly name: CounterName;
  /** Per append, but for `diskBytesPerEvent` and `filesPerSession`; null where it could not be seen. */
  readonly value: number | null;
}

/**
 * Everything that is counted. `otherFileCalls` (renames, deletions, times of locks) is told and never
 * compared: some of these depend on how long something took.
 */
export type CounterName =
  | "syncs"
  | "writes"
  | "writtenBytes"
  | "otherFileCalls"
  | "statements"
  | "transactions"
  | "roundTrips"
  | "diskBytesPerEvent"
  | "filesPerSession";

/** A workload that a store could not be measured with. */
export interface SkippedWorkload {
  readonly workload: string;
  readonly subject: string;
  readonly reason: string;
}

/** Every workload, by id. */
export const workloadTitles: Readonly<Record<string, string>> = {
  W01: "append 1",
  W02: "append 10 and 100 at once",
  W03: "append with an expected head",
  W04: "8 writers on sessions of their own",
  W05: "8 writers on one session, compare and retry",
  W06: "4 processes on one store",
  W07: "read a session of 10,000 events",
  W08: "resume: the last 50 events",
  W09: "list 10,000 sessions",
  W10: "truncate, fork and delete",
  W11: "append behind 1,000, 10,000 and 100,000 events",
  W12: "open loop at 50 % and 80 % of capacity",
  W13: "80 % appends, 15 % resumes, 5 % lists",
  W14: "cold open, then the first read",
  W15: "append while another process reads",
};
