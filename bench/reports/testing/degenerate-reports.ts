import type { BenchReport, Figure } from "../../bench-report.ts";
import { sampleReport, sampleSubjects } from "./sample-report.ts";

const [, file] = sampleSubjects;
const report = sampleReport(file === undefined ? [] : [file]);
const nowhere = { median: 0, least: 0, most: 0 };

/** Reports that divide by zero, or take its logarithm, wherever somebody does. */
export const degenerateReports: ReadonlyArray<readonly [name: string, report: BenchReport]> = [
  ["times of zero", each((figure) => zeroOf(figure))],
  ["nothing compares", each((figure) => ({ ...figure, floor: null, ratio: null }))],
  [
    "one block",
    each(({ blocks, ...figure }) => ({ ...figure, blocks: blocks.slice(0, 1), ratio: null })),
  ],
  ["ratios of zero", each((figure) => ({ ...figure, ratio: { estimate: 0, low: 0, high: 0 } }))],
  ["no call at all", each((figure) => withLatency(figure, 0, []))],
  [
    "one call",
    each((figure) =>
      withLatency(figure, 1, [
        [50, 1],
        [100, 1],
      ]),
    ),
  ],
  ["numbers that are none", each((figure) => nanOf(figure))],
  ["one point", each((figure) => ({ ...figure, growth: figure.growth.slice(0, 1) }))],
  ["counters that could not be seen", unseen()],
  ["no figures, but counters", { ...report, figures: [] }],
];

function each(change: (figure: Figure) => Figure): BenchReport {
  return { ...report, figures: report.figures.map(change) };
}

function zeroOf(figure: Figure): Figure {
  return {
    ...figure,
    time: nowhere,
    floor: figure.floor === null ? null : { ...figure.floor, time: nowhere },
    growth: figure.growth.map((point) => ({ ...point, milliseconds: nowhere })),
    latencies: figure.latencies.map((latency) => ({
      ...latency,
      percentiles: latency.percentiles.map(([percentile]) => [percentile, 0] as const),
    })),
  };
}

function nanOf(figure: Figure): Figure {
  const none = { median: Number.NaN, least: Number.NaN, most: Number.POSITIVE_INFINITY };
  const ratio = { estimate: Number.NaN, low: Number.NaN, high: Number.POSITIVE_INFINITY };
  return {
    ...figure,
    time: none,
    floor: { name: "floor", time: none },
    ratio,
    codecRatio: ratio,
    growth: [1, 10].map((events) => ({ events, milliseconds: none })),
    latencies: figure.latencies.map((latency) => ({
      ...latency,
      percentiles: latency.percentiles.map(([percentile]) => [percentile, Number.NaN] as const),
    })),
    details: [{ name: "found", value: Number.NaN, unit: "ratio" }],
  };
}

function withLatency(
  figure: Figure,
  count: number,
  percentiles: ReadonlyArray<readonly [number, number]>,
): Figure {
  const latency = { name: "append", from: "intended", count, rate: 10, percentiles } as const;
  return { ...figure, latencies: [latency] };
}

function unseen(): BenchReport {
  const counters = report.counters.map((set) => ({
    ...set,
    counters: set.counters.map(({ name }) => ({ name, value: null })),
  }));
  return { ...report, counters };
}
