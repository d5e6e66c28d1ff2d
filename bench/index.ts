/**
 * Measures stores of agent sessions: any `Checkpointer` beside the bare operations that it is built on,
 * with intervals, open-loop latencies and exact counts; compares two runs, and two versions.
 *
 * @module
 */
export { bench, type BenchOptions, type BenchProgress } from "./bench.ts";
export {
  workloadTitles,
  type BenchEnvironment,
  type BenchInput,
  type BenchReport,
  type Block,
  type Counter,
  type CounterName,
  type CounterSet,
  type Detail,
  type EffortName,
  type Figure,
  type GrowthPoint,
  type Interval,
  type Latency,
  type SkippedWorkload,
  type Spread,
  type SubjectSummary,
} from "./bench-report.ts";
export { floorNames, type FloorName } from "./floors/open-floor.ts";
export { benchHtml } from "./reports/bench-html.ts";
export { benchJson, parseBenchReport } from "./reports/bench-json.ts";
export { benchMarkdown } from "./reports/bench-markdown.ts";
export { benchText } from "./reports/bench-text.ts";
export { benchTrend, type TrendPoint } from "./reports/bench-trend.ts";
export type { Subject } from "./subject.ts";
