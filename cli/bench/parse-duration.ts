import { InvalidArgumentError } from "commander";

const millisecondsOf = { ms: 1, s: 1_000, m: 60_000 } as const;

/** A day: whoever wants to measure for longer has mistyped. */
const most = 86_400_000;

/**
 * Milliseconds of a duration as it is written on a command line: `250ms`, `20s`, `1.5s` or `2m`.
 *
 * @throws InvalidArgumentError, which commander reports with the option's name
 */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined) {
    const milliseconds = Number(amount) * millisecondsOf[unit as keyof typeof millisecondsOf];
    if (milliseconds > 0 && milliseconds <= most) return milliseconds;
  }
  throw new InvalidArgumentError("Wanted a duration such as 250ms, 20s or 2m, at most a day.");
}
