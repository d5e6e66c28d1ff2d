import type { Codec } from "../../src/index.ts";
import { suiteVersion, summarizeRun, type FinishedRun, type RunSummary } from "../report.ts";
import { stands } from "../run-property.ts";
import type { CodecFixture } from "./codec-fixture.ts";
import { resolvePromises, type ResolvedPromises } from "./codec-requirements.ts";

/** What came of a run of the suite over a codec: plain JSON. */
export interface CodecReport extends RunSummary {
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
}

/** What a report is made of. */
export interface CodecReportParts extends FinishedRun {
  readonly fixture: CodecFixture;
  readonly codec: Pick<Codec, "id" | "kind">;
  readonly whole: boolean;
}

/** Sums up the results of a run. */
export function createCodecReport(parts: CodecReportParts): CodecReport {
  const { fixture, codec, whole, results } = parts;
  return {
    suite: suiteVersion,
    name: fixture.name,
    codec,
    certified: whole ? results.every(stands) : null,
    promises: resolvePromises(fixture.promises),
    ...summarizeRun(parts),
  };
}
