import { verdictOf } from "../compare/verdict.ts";
import { seededRandom } from "../seeded-random.ts";
import { holm, ratioEvidence, spreadOf } from "../statistics.ts";
import type { ContestResult, GateVerdict, Pair } from "./gate-report.ts";

/** Chance that the near end of a 95 % interval lies beyond what is true. */
const alpha = 0.025;

/** Pinned: the same pairs always give the same interval. */
const seed = 1;

/** Works pairs out. */
export function resultOf(pairs: readonly Pair[], threshold: number): ContestResult {
  const ratios = pairs.map(({ base, next }) => next / base);
  const { interval, pValue } = ratioEvidence(ratios, 1 + threshold, seededRandom(seed));
  return {
    base: spreadOf(pairs.map(({ base }) => base)),
    next: spreadOf(pairs.map(({ next }) => next)),
    change: interval,
    pValue,
    pairs,
  };
}

/** Chances of the first runs, corrected for their number. */
export function correct(results: readonly ContestResult[]): readonly number[] {
  return holm(results.map(({ pValue }) => pValue));
}

/** Whether a chance is too small to be one. */
export function isSuspect(pValue: number): boolean {
  return pValue <= alpha;
}

/**
 * What is said of gated work. Red takes two runs: one that is beyond the threshold even for the most
 * extreme of several, and a fresh one that is beyond it by itself.
 *
 * @param corrected - chance of the first run
 * @param confirmation - null where none was made
 */
export function decide(
  first: ContestResult,
  corrected: number,
  confirmation: ContestResult | null,
  threshold: number,
): GateVerdict {
  if (isSuspect(corrected)) {
    if (confirmation === null) return "unsure";
    return isSuspect(confirmation.pValue) ? "slower" : "not confirmed";
  }
  const verdict = verdictOf(first.change, threshold);
  // Beyond the threshold by itself, but not as the most extreme of several.
  return verdict === "slower" ? "unsure" : verdict;
}
