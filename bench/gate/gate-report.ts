import type { Interval, Spread } from "../bench-report.ts";
import type { Verdict } from "../compare/verdict.ts";
import type { Cost } from "./messages.ts";

/** What came of a gate: plain JSON, with every pair that was measured. */
export interface GateReport {
  readonly format: 1;
  /** The kit's version. */
  readonly suite: string;
  readonly startedAt: string;
  readonly milliseconds: number;
  /** As the command line names the sides. */
  readonly baseline: string;
  readonly against: string;
  /** Of the packages' stores; null for fixtures. */
  readonly store: string | null;
  readonly seed: number;
  /** The fewest pairs of a run, milliseconds of a block, and of a run. */
  readonly pairs: number;
  readonly block: number;
  readonly duration: number;
  /** Share beyond which slower is red. */
  readonly threshold: number;
  readonly isRed: boolean;
  readonly figures: readonly GateFigure[];
  /** What a side could not do, and why. */
  readonly skipped: ReadonlyArray<{ readonly id: string; readonly reason: string }>;
}

/** One kind of work on both sides, by one of its costs. */
export interface GateFigure {
  readonly id: string;
  readonly cost: keyof Cost;
  readonly title: string;
  readonly per: string;
  /** Whether it can turn the gate red. */
  readonly isGated: boolean;
  readonly run: ContestResult;
  /** Chance of the first run without a slow-down beyond the threshold, corrected for all gated figures. */
  readonly pValue: number;
  /** The second run, where the first one was slower. */
  readonly confirmation: ContestResult | null;
  readonly verdict: GateVerdict;
  readonly isRed: boolean;
}

/** `not confirmed`: slower in the first run, and not in the second. */
export type GateVerdict = Verdict | "not confirmed";

/** A run of one kind of work. */
export interface ContestResult {
  /** Milliseconds for one. */
  readonly base: Spread;
  readonly next: Spread;
  /** How many times as long the new side takes. */
  readonly change: Interval;
  /** One-sided, by itself: of looking this slow where the truth is at the threshold. */
  readonly pValue: number;
  /** In the order in which they were measured. */
  readonly pairs: readonly Pair[];
}

/** Milliseconds for one on each side, shortly after each other. */
export interface Pair {
  readonly base: number;
  readonly next: number;
}
