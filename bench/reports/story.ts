import type { BenchReport, Figure, GrowthPoint, Interval } from "../bench-report.ts";
import {
  countOf,
  counted,
  diskBytes,
  figureGroups,
  joinWords,
  latencyAt,
  tailOf,
  type FigureGroup,
} from "./findings.ts";
import {
  formatBytes,
  formatCount,
  formatInterval,
  formatTime,
  formatTimes,
} from "./format-number.ts";

/** What a report says, in sentences that are made of its figures. */
export interface Story {
  /** The finding to read where only one is read. */
  readonly headline: string;
  readonly findings: readonly Finding[];
}

/** One sentence, and what it is about. */
interface Finding {
  readonly about: string;
  readonly sentence: string;
}

/** Subjects that a sentence names one by one; of more it gives the least and the most. */
const named = 4;

/** A cost at most this much higher counts as flat: blocks of one run differ by as much. */
const flat = 1.2;

/** An interval whose ends are further apart than this factor is told with its estimate. */
const vague = 2;

/** What a reader asks about first, after the appends of the headline. */
const asked = ["W07", "W08"];

/** Composes the story of a report; whatever was not measured is not in it. */
export function storyOf(report: BenchReport): Story {
  const plain = report.subjects.filter((one) => one.plain === null).map(({ name }) => name);
  const groups = figureGroups(report).map((group) => ({
    ...group,
    figures: group.figures.filter(({ subject }) => plain.includes(subject)),
  }));
  const comparable = groups.filter(({ figures }) => rated(figures).length > 0);
  const findings = [
    ...vagueFinding(report),
    ...comparable
      .slice(1)
      .filter(({ workload }) => asked.includes(workload))
      .flatMap(floorFinding),
    ...rangeFinding(comparable),
    ...groups.flatMap(growthFinding),
    ...tailFinding(groups),
    ...codecFindings(report),
    ...counterFinding(report, plain),
  ];
  return { headline: headlineOf(report, comparable[0]), findings };
}

function headlineOf({ figures, subjects }: BenchReport, lead: FigureGroup | undefined): string {
  if (figures.length === 0) return "Nothing was measured";
  if (lead === undefined) {
    return `${countOf(subjects.length, "store")}, and no bare operation to compare with`;
  }
  const [first, ...more] = rated(lead.figures);
  if (first === undefined || more.length + 1 > named) {
    return `${lead.title}: ${spanOf(lead.figures.flatMap(byFloor))}`;
  }
  const others = more.map((figure) => `${figure.subject} at ${againstFloor(figure)}`);
  const opening =
    lead.workload === "W01" ? `${first.subject} appends` : `${lead.title}: ${first.subject}`;
  return joinClauses([`${opening} at ${againstFloor(first)}`, ...others]);
}

function joinClauses(clauses: readonly string[]): string {
  return clauses.join("; ");
}

function againstFloor({ ratio, floor }: RatedFigure): string {
  return `${shownRatio(ratio)} ${floor?.name ?? ""}`.trimEnd();
}

/** How much of what follows a noisy machine has blurred. */
function vagueFinding({ figures, environment }: BenchReport): readonly Finding[] {
  const ratios = figures.flatMap(({ ratio, codecRatio }) => [ratio, codecRatio]);
  const known = ratios.filter((ratio) => ratio !== null);
  const count = known.filter(isVague).length;
  if (count === 0) return [];
  const which = `the intervals of ${formatCount(count)} of ${countOf(known.length, "ratio")}`;
  const load = `the load was ${formatCount(environment.load)} on ${countOf(environment.cores, "core")}`;
  return [
    { about: "certainty", sentence: `${which} span more than a factor of ${vague}; ${load}` },
  ];
}

/** Whether an interval says little about where the ratio is. */
export function isVague({ low, high }: Interval): boolean {
  return high > vague * low;
}

function shownRatio(ratio: Interval): string {
  const times = formatTimes(ratio.estimate);
  return isVague(ratio) ? `${times} (${formatInterval(ratio)})` : times;
}

function floorFinding({ title, figures }: FigureGroup): readonly Finding[] {
  return [{ about: title, sentence: `${spanOf(figures.flatMap(byFloor))}, times the floor` }];
}

/** The best and the worst, so that what a story leaves out is never worse than what is in it. */
function rangeFinding(groups: readonly FigureGroup[]): readonly Finding[] {
  const values = groups.flatMap(({ title, figures }) =>
    rated(figures).map(({ subject, ratio }) => {
      return { title, subject, value: ratio.estimate, shown: shownRatio(ratio) };
    }),
  );
  const sorted = values.toSorted((left, right) => left.value - right.value);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined || groups.length < 2) return [];
  const [from, to] = [least, most].map(({ title, subject, shown }) => {
    return `${shown} on ${subject} (${title})`;
  });
  const sentence = `${countOf(values.length, "figure")} from ${from ?? ""} to ${to ?? ""}`;
  return [{ about: "beside the floor", sentence }];
}

function growthFinding({ title, figures }: FigureGroup): readonly Finding[] {
  const values = figures.flatMap(({ subject, growth }) => {
    const [first, last] = [growth[0], growth.at(-1)];
    if (first === undefined || last === undefined || first.milliseconds.median === 0) return [];
    const value = last.milliseconds.median / first.milliseconds.median;
    return [{ subject, first, last, value, shown: formatTimes(value) }];
  });
  const [one] = values;
  if (one === undefined) return [];
  const highest = Math.max(...values.map(({ value }) => value));
  const verdict = highest <= flat ? ": flat" : "";
  const from = `the cost behind ${eventsOf(one.last)} over that behind ${eventsOf(one.first)}`;
  return [{ about: title, sentence: `${from} is ${spanOf(values)}${verdict}` }];
}

function eventsOf({ events }: GrowthPoint): string {
  return countOf(events, "event");
}

/** Of the first workload that has latencies from the intended start. */
function tailFinding(groups: readonly FigureGroup[]): readonly Finding[] {
  const tails = groups.map(({ figures }) =>
    figures.flatMap(({ subject, latencies }) => {
      const tail = tailOf(latencies);
      const value = tail === null ? null : latencyAt(tail, 99.9);
      if (tail === null || value === null) return [];
      return [{ subject, name: tail.name, value, shown: formatTime(value) }];
    }),
  );
  const [first, ...others] = tails.find(({ length }) => length > 0) ?? [];
  if (first === undefined) return [];
  const times = spanOf([first, ...others.filter(({ name }) => name === first.name)]);
  return [{ about: "tail", sentence: `${first.name}: p99.9 is ${times}, from the intended start` }];
}

function codecFindings(report: BenchReport): readonly Finding[] {
  const [group] = figureGroups(report).filter(({ figures }) =>
    figures.some(({ codecRatio }) => codecRatio !== null),
  );
  if (group === undefined) return [];
  const values = group.figures.flatMap(({ subject, codecRatio }) => valueOf(subject, codecRatio));
  const sizes = report.subjects.flatMap(({ name, plain }) => {
    const [own, other] = [
      diskBytes(report, name),
      plain === null ? null : diskBytes(report, plain),
    ];
    if (own === null || other === null || other === 0) return [];
    return [{ subject: name, value: own / other, shown: formatTimes(own / other) }];
  });
  const size = sizes.length === 0 ? "" : `; bytes on disk ${spanOf(sizes)}`;
  const sentence = `beside the plain store, ${group.title} takes ${spanOf(values)}${size}`;
  return [{ about: "codecs", sentence }];
}

function counterFinding(report: BenchReport, plain: readonly string[]): readonly Finding[] {
  const costs = plain.flatMap((subject) => {
    const parts = (["syncs", "writes", "transactions", "roundTrips"] as const).flatMap((name) => {
      const value = counted(report, subject, name);
      return value === null || value === 0 ? [] : [countOf(value, counterNouns[name])];
    });
    const bytes = diskBytes(report, subject);
    const size = bytes === null ? [] : [`${formatBytes(bytes)} of disk`];
    const all = [...parts, ...size];
    return all.length === 0 ? [] : [`${joinWords(all)} on ${subject}`];
  });
  if (costs.length === 0 || costs.length > named) return [];
  return [{ about: "one append costs", sentence: joinClauses(costs) }];
}

const counterNouns = {
  syncs: "sync",
  writes: "write",
  transactions: "transaction",
  roundTrips: "round trip",
} as const;

interface Value {
  readonly subject: string;
  readonly value: number;
  /** The value with its unit. */
  readonly shown: string;
}

function valueOf(subject: string, ratio: Interval | null): readonly Value[] {
  return ratio === null ? [] : [{ subject, value: ratio.estimate, shown: shownRatio(ratio) }];
}

function byFloor({ subject, ratio }: Figure): readonly Value[] {
  return valueOf(subject, ratio);
}

interface RatedFigure extends Figure {
  readonly ratio: Interval;
}

function rated(figures: readonly Figure[]): readonly RatedFigure[] {
  return figures.flatMap((figure) =>
    figure.ratio === null ? [] : [{ ...figure, ratio: figure.ratio }],
  );
}

/** Every subject with its value, or the least and the most of many. */
function spanOf(values: readonly Value[]): string {
  const worded = ({ subject, shown }: Value): string => `${shown} on ${subject}`;
  if (values.length <= named) return joinWords(values.map(worded));
  const sorted = values.toSorted((left, right) => left.value - right.value);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return "";
  return `from ${worded(least)} to ${worded(most)}, of ${countOf(values.length, "store")}`;
}
