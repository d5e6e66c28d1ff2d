import type { CounterName, Interval } from "../bench-report.ts";
import type { Verdict } from "./verdict.ts";

/** Two reports side by side; plain JSON. */
export interface Comparison {
  readonly format: 1;
  /** Share beyond which a difference counts. */
  readonly threshold: number;
  /** Whether anything became slower than its floor, or is counted more often. */
  readonly isRed: boolean;
  /** Why the two may not be comparable. */
  readonly warnings: readonly string[];
  readonly figures: readonly ComparedFigure[];
  readonly counters: readonly ComparedCounter[];
  /** What one report alone has. */
  readonly missing: readonly string[];
  readonly added: readonly string[];
}

/** The same work on the same store, in both reports. */
export interface ComparedFigure {
  readonly subject: string;
  readonly id: string;
  readonly title: string;
  /** `time` where a side has no floor: such a figure depends on the machine, and is never red. */
  readonly by: "ratio to floor" | "time";
  /** Medians: ratios to the floor, or milliseconds. */
  readonly base: number;
  readonly next: number;
  /** How many times as long the new one takes. */
  readonly change: Interval;
  readonly verdict: Verdict;
  readonly isRed: boolean;
}

/** The same count in both reports. */
export interface ComparedCounter {
  readonly subject: string;
  readonly batch: number;
  readonly name: CounterName;
  readonly countedBy: string;
  readonly base: number | null;
  readonly next: number | null;
  readonly verdict: "more" | "fewer" | "equal" | "not comparable";
  readonly isRed: boolean;
}
