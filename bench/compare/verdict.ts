import type { Interval } from "../bench-report.ts";

/** What an interval says of the new side. */
export type Verdict = "slower" | "faster" | "same" | "unsure";

/** Shares below which a difference is nobody's business: what changes by so much with the layout of memory. */
export const defaultThreshold = 0.1;

/**
 * `slower` and `faster` where the whole interval lies beyond the threshold, `same` where it lies
 * within, and `unsure` where it reaches across: more blocks would tell.
 *
 * @param threshold - a share: 0.1 is 10 %
 */
export function verdictOf({ low, high }: Interval, threshold: number): Verdict {
  const [least, most] = [1 / (1 + threshold), 1 + threshold];
  if (low > most) return "slower";
  if (high < least) return "faster";
  return low >= least && high <= most ? "same" : "unsure";
}
