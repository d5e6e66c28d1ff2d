import { InvalidArgumentError } from "commander";

/** Bounds of {@link strictNumber}, both inclusive. */
export interface NumberBounds {
  /** Default 0. */
  readonly min?: number | undefined;
  /** Default 2^53-1. */
  readonly max?: number | undefined;
}

/** A parser for commander that takes whole numbers in plain digits and nothing else. */
export function strictNumber(bounds: NumberBounds = {}): (text: string) => number {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = bounds;
  return (text) => {
    const value = /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    const upTo = max === Number.MAX_SAFE_INTEGER ? "" : ` to ${max}`;
    throw new InvalidArgumentError(`Wanted a whole number from ${min}${upTo}.`);
  };
}
