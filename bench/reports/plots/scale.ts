/** A place on an axis, as a share from 0 to 1 of its length, for a value. */
export type Scale = (value: number) => number;

/** The ends of an axis. */
export interface Domain {
  readonly low: number;
  readonly high: number;
}

/** Equal steps for equal differences. Values outside land on the nearer end. */
export function linearScale({ low, high }: Domain): Scale {
  return (value) => clamp((value - low) / (high - low));
}

/** Equal steps for equal ratios; both ends are above zero. */
export function logScale({ low, high }: Domain): Scale {
  const span = Math.log(high / low);
  return (value) => (value <= 0 ? 0 : clamp(Math.log(value / low) / span));
}

/** Equal steps for each further nine: 0, 90, 99 and 99.9 % are as far from each other. */
export function ninesScale(nines: number): Scale {
  return (percentile) => clamp(ninesOf(percentile) / nines);
}

/** How many nines a percentile below 100 has: 2 for 99. */
export function ninesOf(percentile: number): number {
  return -Math.log10(1 - percentile / 100);
}

/**
 * A logarithmic axis that has room for `values`: it ends at 1, 2 or 5 times a power of ten. What is
 * not above zero has no place there and is left out.
 */
export function logDomain(values: readonly number[]): Domain {
  const known = values.filter((value) => Number.isFinite(value) && value > 0);
  if (known.length === 0) return { low: 0.5, high: 2 };
  const low = stepBelow(Math.min(...known));
  const high = stepAbove(Math.max(...known));
  return low < high ? { low, high } : { low: stepBelow(low * 0.99), high: stepAbove(high * 1.01) };
}

/** Marks for a logarithmic axis, at most `most` of them if powers of ten are so few: 1, 2, 5, 10. */
export function logTicks({ low, high }: Domain, most: number): readonly number[] {
  const candidates = [[1, 2, 5], [1, 3], [1]].map((steps) => stepsWithin(steps, low, high));
  const [fitting] = candidates.filter(({ length }) => length <= most && length >= 2);
  if (fitting !== undefined) return fitting;
  const powers = candidates[2] ?? [];
  const every = Math.max(1, Math.ceil(powers.length / most));
  return powers.filter((_, index) => index % every === 0);
}

/** From zero: a round number that is not below any of `values`, and the marks up to it. */
export function linearTicks(values: readonly number[], most: number): readonly number[] {
  const highest = Math.max(0, ...values.filter(Number.isFinite));
  if (highest === 0) return [0, 1];
  const step = stepAbove(highest / most);
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}

function stepsWithin(steps: readonly number[], low: number, high: number): readonly number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const powers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  // Powers of ten are not exact in binary, so an end of the axis may miss its own mark by a hair.
  return powers
    .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
    .filter((value) => value >= low * 0.999_999 && value <= high * 1.000_001);
}

function stepBelow(value: number): number {
  const power = Math.floor(Math.log10(value));
  const step = [5, 2, 1].find((one) => Number(`${one}e${power}`) <= value) ?? 1;
  return Number(`${step}e${power}`);
}

function stepAbove(value: number): number {
  const power = Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => Number(`${one}e${power}`) >= value) ?? 10;
  return Number(`${step}e${power}`);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
