import { release, type as system } from "node:os";
import process from "node:process";
import type { Codec } from "../../src/index.ts";
import type { Budget } from "../budget.ts";
import { countOutcomes, suiteVersion } from "../report.ts";
import type { PropertyResult } from "../run-property.ts";
import type { CodecFixture } from "./codec-fixture.ts";
import { resolvePromises, type ResolvedPromises } from "./codec-requirements.ts";

/** What came of a run of the suite over a codec: plain JSON. */
export interface CodecReport {
  /** Version of the suite: the kit's. */
  readonly suite: string;
  readonly name: string;
  readonly codec: Pick<Codec, "id" | "kind">;
  /**
   * Whether every property holds that the promises ask for, and none had to be left out for want of
   * something in the fixture. Null when only some were run.
   */
  readonly certified: boolean | null;
  readonly promises: ResolvedPromises;
  readonly environment: { readonly node: string; readonly system: string };
  readonly seed: number;
  readonly effort: number;
  readonly counts: Readonly<Record<PropertyResult["outcome"], number>>;
  readonly assertions: number;
  readonly milliseconds: number;
  readonly results: ReadonlyArray<Omit<PropertyResult, "error">>;
}

/** What a report is made of. */
export interface CodecReportParts {
  readonly fixture: CodecFixture;
  readonly codec: Pick<Codec, "id" | "kind">;
  readonly whole: boolean;
  readonly budget: Budget;
  readonly results: readonly PropertyResult[];
  readonly milliseconds: number;
}

/** Sums up the results of a run. */
export function createCodecReport(parts: CodecReportParts): CodecReport {
  const { fixture, codec, whole, budget, results, milliseconds } = parts;
  const holds = ({ outcome, blocks }: PropertyResult): boolean =>
    outcome === "pass" || (outcome === "skip" && !blocks);
  return {
    suite: suiteVersion,
    name: fixture.name,
    codec,
    certified: whole ? results.every(holds) : null,
    promises: resolvePromises(fixture.promises),
    environment: { node: process.version, system: `${system()} ${release()}` },
    seed: budget.seed,
    effort: budget.effort,
    counts: countOutcomes(results),
    assertions: results.reduce((sum, { assertions }) => sum + assertions, 0),
    milliseconds,
    results: results.map(({ error: _error, ...rest }) => rest),
  };
}
