import type { BenchReport, Figure, Interval } from "../bench-report.ts";
import { knownRatio } from "./findings.ts";
import { formatInterval, formatTime } from "./format-number.ts";
import { plainLine } from "./plain-line.ts";

/** One point of a trend, as github-action-benchmark takes it with `tool: customSmallerIsBetter`. */
export interface TrendPoint {
  /** Names the line of the chart that the point goes to, so it is the same at every run. */
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Shown behind the value. */
  readonly range: string;
  /** Shown on request. */
  readonly extra: string;
}

/**
 * A report as JSON for github-action-benchmark: an array of {@link TrendPoint}, of ratios to the floor
 * and to the plain store alone. Times of CI machines differ by more than any change of the code.
 *
 * @see https://github.com/benchmark-action/github-action-benchmark for the members it reads
 */
export function benchTrend(report: BenchReport): string {
  const points = report.figures.flatMap((figure) => [
    ...pointOf(figure, figure.ratio, `× ${figure.floor?.name ?? "floor"}`),
    ...pointOf(figure, figure.codecRatio, "× plain"),
  ]);
  return `${JSON.stringify(points, null, 2)}\n`;
}

function pointOf(figure: Figure, ratio: Interval | null, unit: string): readonly TrendPoint[] {
  const known = knownRatio(ratio);
  if (known === null) return [];
  const { subject, id, title, time, per, blocks } = figure;
  const kind = unit === "× plain" ? ", × plain" : "";
  const extra = `${formatTime(time.median)} per ${per}, ${blocks.length} blocks`;
  return [
    {
      name: plainLine(`${subject}: ${id} ${title}${kind}`),
      unit: plainLine(unit),
      value: known.estimate,
      range: formatInterval(known),
      extra: plainLine(extra),
    },
  ];
}
