import { InvalidArgumentError } from "commander";

const mostPercent = 1_000;

/**
 * A share as it is written on a command line: `10%` or `7.5%` is 0.1 or 0.075.
 *
 * @throws InvalidArgumentError, which commander reports with the option's name
 */
export function parseShare(text: string): number {
  const [, amount] = /^(\d{1,4}(?:\.\d{1,3})?)%$/.exec(text) ?? [];
  const percent = Number(amount ?? Number.NaN);
  if (percent > 0 && percent <= mostPercent) return percent / 100;
  throw new InvalidArgumentError("Wanted a share such as 10% or 7.5%, above 0% and up to 1000%.");
}
