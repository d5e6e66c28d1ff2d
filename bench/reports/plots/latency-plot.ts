import type { Latency } from "../../bench-report.ts";
import { formatPercentile, formatTime, formatTick } from "../format-number.ts";
import type { Markup } from "../page/markup.ts";
import { curvePlot, type Curve, type CurvePoint } from "./curve-plot.ts";
import { logScale, logTicks, ninesOf, ninesScale, type Domain } from "./scale.ts";
import type { SubjectStyle } from "./subject-style.ts";

/** Distributions side by side. */
export interface LatencyPlot {
  readonly id: string;
  readonly title: string;
  readonly curves: ReadonlyArray<{
    readonly name: string;
    readonly style: SubjectStyle | undefined;
    readonly latency: Latency;
  }>;
  /** Milliseconds of the left axis. */
  readonly domain: Domain;
}

/** The lower half takes so little room that its marks would cover each other. */
const leastMarked = 50;
const marked = [50, 90, 99, 99.9, 99.99, 99.999, 99.9999];

/** Latency against its percentile, where each further nine takes as much room as the one before. */
export function latencyPlot({ id, title, curves, domain }: LatencyPlot): Markup {
  const highest = curves.flatMap(({ latency }) => drawable(latency).map(([at]) => ninesOf(at)));
  const nines = Math.max(1, ...highest);
  const [across, up] = [ninesScale(nines), logScale(domain)];
  const bottom = marked
    .filter((percentile) => ninesOf(percentile) <= nines + 1e-9)
    .map((percentile) => ({ at: across(percentile), text: String(percentile) }));
  const left = logTicks(domain, 6).map((time) => ({
    at: up(time),
    text: formatTick(formatTime(time)),
  }));
  const description =
    "Latency on a logarithmic axis against the percentile, on one that spreads the highest. " +
    "The numbers are in a table.";
  const drawn = curves.map(({ name, style, latency }): Curve => {
    const points = drawable(latency).map(([percentile, time, called]): CurvePoint => {
      const about = percentile < leastMarked ? null : `${called} ${formatTime(time)}`;
      return { x: across(percentile), y: up(time), about };
    });
    return { name, style, points };
  });
  return curvePlot({ id, title, description, left, bottom, curves: drawn });
}

/**
 * The points that have a place. The longest of n calls is drawn where n calls end, at 1 - 1/n; further
 * percentiles say nothing of so few calls.
 */
function drawable({
  count,
  percentiles,
}: Latency): ReadonlyArray<readonly [percentile: number, time: number, called: string]> {
  const end = 100 * (1 - 1 / Math.max(2, count));
  return percentiles.flatMap(([percentile, time]) => {
    if (!(time > 0) || !Number.isFinite(time) || (percentile >= end && percentile !== 100))
      return [];
    return [[Math.min(percentile, end), time, formatPercentile(percentile)] as const];
  });
}
