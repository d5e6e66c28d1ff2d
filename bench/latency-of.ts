import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { Latency } from "./bench-report.ts";

/** Percentiles that every distribution has; the more nines, the more calls they need. */
const percentiles = [0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 100];

/** A histogram of nanoseconds. */
export function latencyHistogram(): RecordableHistogram {
  return createHistogram();
}

/** A histogram as a report has it, in milliseconds. */
export function latencyOf(
  histogram: RecordableHistogram,
  { name, from, rate }: Pick<Latency, "name" | "from" | "rate">,
): Latency {
  const points = percentiles.map((percentile) => {
    const nanoseconds =
      percentile === 0
        ? histogram.min
        : percentile === 100
          ? histogram.max
          : histogram.percentile(percentile);
    return [percentile, nanoseconds / 1e6] as const;
  });
  return { name, from, count: histogram.count, rate, percentiles: points };
}
