import type { GrowthPoint } from "../../bench-report.ts";
import { formatCompact, formatCount, formatTime, formatTick } from "../format-number.ts";
import type { Markup } from "../page/markup.ts";
import { curvePlot, type Curve } from "./curve-plot.ts";
import { logDomain, logScale, logTicks } from "./scale.ts";
import type { SubjectStyle } from "./subject-style.ts";

/** What one operation costs behind more and more events. */
export interface GrowthPlot {
  readonly id: string;
  readonly title: string;
  readonly curves: ReadonlyArray<{
    readonly name: string;
    readonly style: SubjectStyle | undefined;
    readonly growth: readonly GrowthPoint[];
  }>;
}

/** Time against events, both logarithmic: what does not grow with the session is level. */
export function growthPlot({ id, title, curves }: GrowthPlot): Markup {
  const points = curves.flatMap(({ growth }) => growth);
  const acrossDomain = logDomain(points.map(({ events }) => events));
  // At least a power of ten, in which noise does not look like growth.
  const medians = points.map(({ milliseconds }) => milliseconds.median);
  const upDomain = logDomain(medians.flatMap((median) => [median / 3, median, median * 3]));
  const [across, up] = [logScale(acrossDomain), logScale(upDomain)];
  const drawn = curves.map(({ name, style, growth }): Curve => {
    const known = growth.filter(
      ({ events, milliseconds }) =>
        events > 0 && milliseconds.median > 0 && Number.isFinite(milliseconds.median),
    );
    return {
      name,
      style,
      points: known.map(({ events, milliseconds: { median } }) => ({
        x: across(events),
        y: up(median),
        about: `${formatTime(median)} behind ${formatCount(events)} events`,
      })),
    };
  });
  return curvePlot({
    id,
    title,
    description:
      "Time against events in the session, both on logarithmic axes. The numbers are in a table.",
    left: logTicks(upDomain, 6).map((time) => ({
      at: up(time),
      text: formatTick(formatTime(time)),
    })),
    bottom: logTicks(acrossDomain, 4).map((count) => ({
      at: across(count),
      text: formatCompact(count),
    })),
    curves: drawn,
  });
}
