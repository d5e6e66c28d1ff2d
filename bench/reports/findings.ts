import {
  workloadTitles,
  type BenchEnvironment,
  type BenchReport,
  type CounterName,
  type Figure,
  type Interval,
  type Latency,
} from "../bench-report.ts";
import { formatCount, formatTime } from "./format-number.ts";

/** The same work on every subject that did it. */
export interface FigureGroup {
  readonly id: string;
  readonly workload: string;
  readonly title: string;
  readonly per: string;
  readonly figures: readonly Figure[];
}

/** Figures by their work, in the order in which they were measured. */
export function figureGroups({ figures }: BenchReport): readonly FigureGroup[] {
  const groups = new Map<string, Figure[]>();
  for (const figure of figures) {
    groups.set(figure.id, [...(groups.get(figure.id) ?? []), figure]);
  }
  return [...groups].flatMap(([id, [first, ...others]]) => {
    if (first === undefined) return [];
    const { workload, title, per } = first;
    return [{ id, workload, title, per, figures: [first, ...others] }];
  });
}

/** One distribution, on every subject that has it. */
export interface LatencyGroup {
  readonly id: string;
  readonly title: string;
  readonly name: string;
  readonly from: Latency["from"];
  readonly curves: ReadonlyArray<{ readonly subject: string; readonly latency: Latency }>;
}

/** Latencies by their distribution, those from the intended start first: only they tell of queues. */
export function latencyGroups({ figures }: BenchReport): readonly LatencyGroup[] {
  const groups = new Map<string, LatencyGroup>();
  for (const { id, title, subject, latencies } of figures) {
    for (const latency of latencies) {
      const { name, from } = latency;
      const key = JSON.stringify([id, name, from]);
      const curves = [...(groups.get(key)?.curves ?? []), { subject, latency }];
      groups.set(key, { id, title, name, from, curves });
    }
  }
  const all = [...groups.values()];
  return [
    ...all.filter(({ from }) => from === "intended"),
    ...all.filter(({ from }) => from === "call"),
  ];
}

/** Where latency counts from, for a caption. */
export const latencyFrom: Readonly<Record<Latency["from"], string>> = {
  intended: "from the intended start",
  call: "from the call",
};

/** The latency under the highest planned load; null where none counts from the intended start. */
export function tailOf(latencies: readonly Latency[]): Latency | null {
  const intended = latencies.filter(({ from }) => from === "intended");
  return intended.toSorted((left, right) => (right.rate ?? 0) - (left.rate ?? 0))[0] ?? null;
}

/** The milliseconds at a percentile; null where the report does not have it. */
export function latencyAt({ percentiles }: Latency, percentile: number): number | null {
  return percentiles.find(([one]) => one === percentile)?.[1] ?? null;
}

/** Workloads that were left out for the same reason. */
export interface SharedSkip {
  readonly reason: string;
  /** For example `sqlite: W06, W15`. */
  readonly places: readonly string[];
}

/** What was left out, by its reason. */
export function skipsByReason({ skipped }: BenchReport): readonly SharedSkip[] {
  const reasons = new Map<string, Map<string, string[]>>();
  for (const { reason, subject, workload } of skipped) {
    const subjects = reasons.get(reason) ?? new Map<string, string[]>();
    reasons.set(reason, subjects.set(subject, [...(subjects.get(subject) ?? []), workload]));
  }
  return [...reasons].map(([reason, subjects]) => ({
    reason,
    places: [...subjects].map(([subject, workloads]) => `${subject}: ${workloads.join(", ")}`),
  }));
}

/** What a workload is, by its id. */
export function workloadTitle(workload: string): string {
  return Object.hasOwn(workloadTitles, workload) ? (workloadTitles[workload] ?? "") : "";
}

/** What is counted, as a head of a column. */
export const counterTitles: Readonly<Record<CounterName, string>> = {
  syncs: "syncs",
  writes: "writes",
  writtenBytes: "bytes written",
  otherFileCalls: "other file calls",
  statements: "SQL statements",
  transactions: "transactions",
  roundTrips: "round trips",
  diskBytesPerEvent: "disk bytes per event",
  filesPerSession: "files per session",
};

/** Those counters that anything was counted for, in a fixed order. */
export function countedNames({ counters }: BenchReport): readonly CounterName[] {
  const met = new Set(counters.flatMap((set) => set.counters.map(({ name }) => name)));
  return counterNames.filter((name) => met.has(name));
}

const counterNames = Object.keys(counterTitles) as readonly CounterName[];

/** A ratio that can be drawn; null for one that is not there, or was divided by zero. */
export function knownRatio(interval: Interval | null): Interval | null {
  if (interval === null) return null;
  const { estimate, low, high } = interval;
  return [estimate, low, high].every(Number.isFinite) ? interval : null;
}

/** Bytes that an event takes on disk, of the smallest append that was counted; null where unknown. */
export function diskBytes(report: BenchReport, subject: string): number | null {
  const bytes = counted(report, subject, "diskBytesPerEvent");
  return Number.isFinite(bytes) ? bytes : null;
}

/** A count for the smallest append that was counted; null where it is not known. */
export function counted(report: BenchReport, subject: string, name: CounterName): number | null {
  const sets = report.counters.filter((set) => set.subject === subject);
  const [smallest] = sets.toSorted((left, right) => left.batch - right.batch);
  return smallest?.counters.find((one) => one.name === name)?.value ?? null;
}

/** Why a figure has no ratio to the floor; null where it has. */
export function missingRatio({ floor, ratio }: Figure): string | null {
  if (ratio !== null) return null;
  return floor === null ? "nothing compares" : "too few blocks for an interval";
}

/** Why a figure has no ratio to the plain subject; null where it has. */
export function missingCodecRatio({ subjects }: BenchReport, figure: Figure): string | null {
  if (figure.codecRatio !== null) return null;
  const { plain = null } = subjects.find(({ name }) => name === figure.subject) ?? {};
  return plain === null ? "is the plain one itself" : `not measured in turn with ${plain}`;
}

/** Every reason for a dash that a table of figures shows. */
export function dashReasons(report: BenchReport): readonly string[] {
  const reasons = report.figures.flatMap((figure) => [
    ...(figure.ratio === null ? [`× floor: ${missingRatio(figure) ?? ""}`] : []),
    ...(figure.codecRatio === null ? [`× plain: ${missingCodecRatio(report, figure) ?? ""}`] : []),
  ]);
  return [...new Set(reasons)];
}

/** The environment as name and value, what is not known left out. */
export function environmentPairs(
  environment: BenchEnvironment,
): ReadonlyArray<readonly [name: string, value: string]> {
  const { node, system, processor, cores, fileSystem, syncMicroseconds, sqlite, load, commit } =
    environment;
  const known = (name: string, value: string | null): Array<[string, string]> =>
    value === null ? [] : [[name, value]];
  return [
    ["Node", node],
    ["system", system],
    ["processor", `${formatCount(cores)} × ${processor}`],
    ...known("file system", fileSystem),
    ["write of 4 KiB + fdatasync", formatTime(syncMicroseconds / 1_000)],
    ...known("SQLite", sqlite),
    ["load", formatCount(load)],
    ...known("commit", commit),
  ];
}

/** `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

/** `4 stores`, `1 store`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
