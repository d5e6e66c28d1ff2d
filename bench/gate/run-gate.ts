import { packageVersion } from "../../conformance/package-version.ts";
import { verdictOf } from "../compare/verdict.ts";
import { seededRandom } from "../seeded-random.ts";
import type { WorkKind } from "../workload.ts";
import { correct, decide, isSuspect, resultOf } from "./decide.ts";
import type { ContestResult, GateFigure, GateReport } from "./gate-report.ts";
import type { CostPair } from "./measure-pairs.ts";
import type { Cost } from "./messages.ts";
import { runContest, type ContestOptions } from "./run-contest.ts";
import { gatedKinds } from "./work-kinds.ts";

/** What a gate is asked. */
export interface GateOptions extends Omit<ContestOptions, "random" | "onPair"> {
  readonly kinds: readonly WorkKind[];
  /** Share beyond which slower is red. */
  readonly threshold: number;
  /** What the report calls the sides and their store. */
  readonly names: Pick<GateReport, "baseline" | "against" | "store">;
  /** Told what is being done. */
  readonly onProgress?: ((words: string) => void) | undefined;
}

/** What was measured of one kind of work, by one of its costs. */
interface Measured {
  readonly kind: WorkKind;
  readonly cost: keyof Cost;
  readonly run: ContestResult;
}

type Measure = (kind: WorkKind, words: string) => Promise<readonly Measured[] | string>;

/**
 * Measures two sides against each other and decides whether the new one is slower.
 *
 * @throws SideError; the signal's reason
 */
export async function runGate(options: GateOptions): Promise<GateReport> {
  const { seed, pairs, block, duration, threshold, names } = options;
  const startedAt = new Date();
  const begun = performance.now();
  const measure = measureWith(options);
  const measured: Measured[] = [];
  const skipped: Array<{ id: string; reason: string }> = [];
  for (const kind of options.kinds) {
    const found = await measure(kind, "first run");
    if (typeof found === "string") skipped.push({ id: kind.id, reason: found });
    else measured.push(...found);
  }
  const figures = await judge(measured, measure, options);
  return {
    format: 1,
    suite: packageVersion(),
    startedAt: startedAt.toISOString(),
    milliseconds: Math.round(performance.now() - begun),
    ...names,
    seed,
    pairs,
    block,
    duration,
    threshold,
    isRed: figures.some(({ isRed }) => isRed),
    figures,
    skipped,
  };
}

function measureWith(options: GateOptions): Measure {
  const random = seededRandom(options.seed);
  return async (kind, words) => {
    const onPair = (pairs: number): void => {
      options.onProgress?.(`${kind.id} ${words}: ${pairs} pairs`);
    };
    const pairs = await runContest(kind, { ...options, random, onPair });
    if (typeof pairs === "string") return pairs;
    return (["time", "processor"] as const).flatMap((cost) => {
      const own = pairsOf(pairs, cost);
      return own === null ? [] : [{ kind, cost, run: resultOf(own, options.threshold) }];
    });
  };
}

/** Pairs of one cost; null where a clock did not move, and so measured nothing. */
function pairsOf(
  pairs: readonly CostPair[],
  cost: keyof Cost,
): ReadonlyArray<{ base: number; next: number }> | null {
  const own = pairs.map(({ base, next }) => ({ base: base[cost], next: next[cost] }));
  return own.every(({ base, next }) => base > 0 && next > 0) ? own : null;
}

/** Makes a second run of what is suspect, and says what is what. */
async function judge(
  measured: readonly Measured[],
  measure: Measure,
  options: GateOptions,
): Promise<readonly GateFigure[]> {
  const gated = measured.filter(({ kind }) => gatedKinds.includes(kind));
  const corrected = correct(gated.map(({ run }) => run));
  const chances = new Map(gated.map((one, index) => [one, corrected[index] ?? 1]));
  const suspects = gated.filter((one) => isSuspect(chances.get(one) ?? 1));
  const again: Measured[] = [];
  for (const kind of new Set(suspects.map((one) => one.kind))) {
    const found = await measure(kind, "second run");
    if (typeof found !== "string") again.push(...found);
  }
  return measured.map((one) => {
    const second = suspects.includes(one)
      ? again.find((other) => isSameWork(one, other))
      : undefined;
    return figureOf(one, chances.get(one) ?? null, second?.run ?? null, options);
  });
}

function isSameWork(left: Measured, right: Measured): boolean {
  return left.kind === right.kind && left.cost === right.cost;
}

/** @param corrected - null where the work is not gated */
function figureOf(
  { kind, cost, run }: Measured,
  corrected: number | null,
  confirmation: ContestResult | null,
  { threshold, sizes }: GateOptions,
): GateFigure {
  const { id, title, per } = kind;
  const isGated = corrected !== null;
  const verdict = isGated
    ? decide(run, corrected, confirmation, threshold)
    : verdictOf(run.change, threshold);
  return {
    id,
    cost,
    title: title(sizes),
    per,
    isGated,
    run,
    pValue: corrected ?? run.pValue,
    confirmation,
    verdict,
    isRed: isGated && verdict === "slower",
  };
}
