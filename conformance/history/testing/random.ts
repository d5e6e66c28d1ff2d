import process from "node:process";

/** A seeded source of choices. */
export interface Random {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  chance(probability: number): boolean;
  /** One of `items`; undefined when there is none. */
  pick<T>(items: readonly T[]): T | undefined;
}

/** The same seed gives the same choices on every machine (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)],
  };
}

/**
 * Seeds for a number of runs: pinned, so that a run is the same everywhere. The variables FUZZ_SEED
 * and SOAK_RUNS look elsewhere and for longer.
 */
export function seeds(runs: number): readonly number[] {
  const { FUZZ_SEED: seed, SOAK_RUNS: soak } = process.env;
  const first = Number(seed ?? 20_261);
  return Array.from({ length: Math.max(runs, Number(soak ?? 0)) }, (_, index) => first + index);
}
