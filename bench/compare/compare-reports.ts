import type { BenchReport, CounterName, CounterSet, Figure } from "../bench-report.ts";
import { counterTitles, countOf } from "../reports/findings.ts";
import { seededRandom } from "../seeded-random.ts";
import { shiftInterval, spreadOf } from "../statistics.ts";
import type { ComparedCounter, ComparedFigure, Comparison } from "./comparison.ts";
import { differencesOf, haveSameEvents } from "./differences.ts";
import { defaultThreshold, verdictOf } from "./verdict.ts";

/** Pinned, so that two reports always compare alike. */
const seed = 1;

/** How two reports are compared. */
export interface CompareOptions {
  /** Share beyond which a difference counts. Default {@link defaultThreshold}. */
  readonly threshold?: number;
}

/**
 * Lays two reports side by side. Times are compared as ratios to the floor that ran beside them, so that
 * a busier or slower machine cancels out as far as it can; counts are compared exactly.
 */
export function compareReports(
  base: BenchReport,
  next: BenchReport,
  { threshold = defaultThreshold }: CompareOptions = {},
): Comparison {
  const random = seededRandom(seed);
  const figures = pairsOf(base.figures, next.figures, nameOfFigure);
  const counters = pairsOf(base.counters, next.counters, nameOfCounters);
  const sameEvents = haveSameEvents(base, next);
  const comparedFigures = figures.both.flatMap(([left, right]) => {
    return compareFigures(left, right, threshold, random);
  });
  const comparedCounters = counters.both.flatMap(([left, right]) => {
    return compareCounters(left, right, sameEvents);
  });
  return {
    format: 1,
    threshold,
    isRed: [...comparedFigures, ...comparedCounters].some(({ isRed }) => isRed),
    warnings: differencesOf(base, next),
    figures: comparedFigures,
    counters: comparedCounters,
    missing: [...figures.missing, ...counters.missing],
    added: [...figures.added, ...counters.added],
  };
}

function nameOfFigure({ subject, id, title }: Figure): string {
  return `${subject}: ${id} ${title}`;
}

function nameOfCounters({ subject, batch, countedBy }: CounterSet): string {
  return `${subject}: append of ${countOf(batch, "event")}, counted by ${countedBy}`;
}

interface Pairs<T> {
  readonly both: ReadonlyArray<readonly [base: T, next: T]>;
  readonly missing: readonly string[];
  readonly added: readonly string[];
}

function pairsOf<T>(base: readonly T[], next: readonly T[], nameOf: (one: T) => string): Pairs<T> {
  const left = new Map(base.map((one) => [nameOf(one), one]));
  const right = new Map(next.map((one) => [nameOf(one), one]));
  const both = [...left].flatMap(([name, one]): Array<[T, T]> => {
    const other = right.get(name);
    return other === undefined ? [] : [[one, other]];
  });
  return {
    both,
    missing: [...left.keys()].filter((name) => !right.has(name)),
    added: [...right.keys()].filter((name) => !left.has(name)),
  };
}

function compareFigures(
  base: Figure,
  next: Figure,
  threshold: number,
  random: () => number,
): readonly ComparedFigure[] {
  const ratios = [ratiosOf(base), ratiosOf(next)] as const;
  const hasFloor = ratios.every((list) => list.length > 0);
  const [left, right] = hasFloor ? ratios : [timesOf(base), timesOf(next)];
  if (left.length === 0 || right.length === 0) return [];
  const change = shiftInterval(left, right, random);
  const verdict = verdictOf(change, threshold);
  return [
    {
      subject: base.subject,
      id: base.id,
      title: base.title,
      by: hasFloor ? "ratio to floor" : "time",
      base: spreadOf(left).median,
      next: spreadOf(right).median,
      change,
      verdict,
      isRed: hasFloor && verdict === "slower",
    },
  ];
}

/** Of blocks that took any time at all: a clock that stood still measured nothing. */
function ratiosOf({ blocks }: Figure): readonly number[] {
  return blocks.flatMap(({ time, floor }) => {
    return time > 0 && floor !== null && floor > 0 ? [time / floor] : [];
  });
}

function timesOf({ blocks }: Figure): readonly number[] {
  return blocks.map(({ time }) => time).filter((time) => time > 0);
}

/** Counts of bytes, which depend on the events that were appended. */
const byteCounts: readonly CounterName[] = ["writtenBytes", "diskBytesPerEvent"];

function compareCounters(
  base: CounterSet,
  next: CounterSet,
  sameEvents: boolean,
): readonly ComparedCounter[] {
  const { subject, batch, countedBy } = base;
  const names = Object.keys(counterTitles) as readonly CounterName[];
  return names.flatMap((name) => {
    const values = [valueOf(base, name), valueOf(next, name)] as const;
    if (values.every((value) => value === undefined)) return [];
    const [left = null, right = null] = values;
    const comparable = sameEvents || !byteCounts.includes(name);
    const verdict = comparable ? verdictOfCounts(left, right) : "not comparable";
    const isRed = verdict === "more";
    return [{ subject, batch, name, countedBy, base: left, next: right, verdict, isRed }];
  });
}

function valueOf({ counters }: CounterSet, name: CounterName): number | null | undefined {
  return counters.find((one) => one.name === name)?.value;
}

function verdictOfCounts(base: number | null, next: number | null): ComparedCounter["verdict"] {
  if (base === null || next === null) return "not comparable";
  if (next > base) return "more";
  return next < base ? "fewer" : "equal";
}
