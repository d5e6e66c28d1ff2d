import type { Detail, Latency } from "./bench-report.ts";
import type { Manifest } from "../conformance/manifest.ts";
import type { Fixture } from "../conformance/fixture.ts";
import type { Sizes, WorkContext } from "./workload.ts";

/** A kind of work whose figure is a distribution of latencies, not a time beside a floor. */
export interface LatencyKind {
  readonly id: string;
  readonly workload: string;
  readonly title: (sizes: Sizes) => string;
  readonly per: string;
  readonly refusal?: (manifest: Manifest, fixture: Fixture) => string | null;
  readonly measure: (context: LatencyContext) => Promise<LatencyResult>;
}

/** What such work is made of. */
export interface LatencyContext extends WorkContext {
  readonly fixture: Fixture;
  /** Of one distribution. */
  readonly milliseconds: number;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** What was found. */
interface LatencyResult {
  readonly latencies: readonly Latency[];
  readonly details: readonly Detail[];
}
