import { pinnedSeed, type Budget, type Replay } from "../budget.ts";
import { runCases, type PropertyResult } from "../run-property.ts";
import { requireCodecFixture, type CodecFixture } from "./codec-fixture.ts";
import type { CodecProperty } from "./codec-property.ts";
import { createCodecReport, type CodecReport } from "./codec-report.ts";
import { prepareCodec } from "./codec-subject.ts";
import { codecProperties } from "./properties/index.ts";

/** Options of {@link certifyCodec}. */
export interface CertifyCodecOptions {
  /** Run these alone, by id; nothing is certified then. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** Seed of everything generated. Default: a pinned one, the same for everybody. */
  readonly seed?: number | undefined;
  /** Multiplies the number of generated runs. Default 1. */
  readonly effort?: number | undefined;
  /**
   * Milliseconds after which a case is called hung. Default 120,000. A decode that never gives its
   * thread back cannot be stopped, so run the suite where somebody can.
   */
  readonly patience?: number | undefined;
  /** Leads back to one counterexample; with `only` and the seed that found it. */
  readonly replay?: Replay | undefined;
  /** Called after each property. */
  readonly onResult?: ((property: CodecProperty, result: PropertyResult) => void) | undefined;
}

/**
 * Tries everything a codec owes and promises: exact round trips, attacks on every part of a record and
 * of its place, noise, and its work inside a checkpointer.
 *
 * It cannot show that a cipher is strong, that keys are random, or how much memory a decode took.
 *
 * @returns a report; a failed property is a result, not an exception
 * @throws TypeError for no fixture; RangeError for an unknown id in `only`; whatever `createCodec`
 * throws at its first call
 * @example
 * ```ts
 * const report = await certifyCodec({
 *   name: "my codec",
 *   promises: { authenticates: true },
 *   createCodec: () => myCodec(key),
 *   createForeign: () => myCodec(otherKey),
 *   secrets: [key],
 * });
 * ```
 */
export async function certifyCodec(
  fixture: CodecFixture,
  options: CertifyCodecOptions = {},
): Promise<CodecReport> {
  const { only, seed = pinnedSeed, effort = 1, patience = 120_000, replay, onResult } = options;
  requireCodecFixture(fixture);
  const budget: Budget = { seed, effort, replay };
  const chosen = choose(only);
  const started = performance.now();
  const { id, kind } = await fixture.createCodec();
  const results: PropertyResult[] = [];
  for (const property of chosen) {
    const result = await runCases(property, (check) => prepareCodec(fixture, budget, check), {
      budget,
      patience,
    });
    onResult?.(property, result);
    results.push(result);
  }
  return createCodecReport({
    fixture,
    codec: { id, kind },
    whole: only === undefined,
    budget,
    results,
    milliseconds: Math.round(performance.now() - started),
  });
}

function choose(only: readonly string[] | undefined): readonly CodecProperty[] {
  if (only === undefined) return codecProperties;
  const unknown = only.find((id) => !codecProperties.some((one) => one.id === id));
  if (unknown !== undefined) throw new RangeError(`There is no codec property ${unknown}`);
  return codecProperties.filter(({ id }) => only.includes(id));
}
