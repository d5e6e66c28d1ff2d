import type { Cost } from "./messages.ts";

/** One side of a comparison, ready to run. */
export interface Contestant {
  /** What so many operations took. */
  readonly run: (operations: number) => Promise<Cost>;
}

/** The two of them. */
export interface Contest {
  readonly base: Contestant;
  readonly next: Contestant;
}

/** How long to measure. */
export interface PairOptions {
  /** The fewest; there are as many more as `duration` leaves time for, and always an even number. */
  readonly pairs: number;
  /** Milliseconds that one block should take on the slower side; one operation may take longer. */
  readonly block: number;
  /** Milliseconds that a run should take, without what goes before it. */
  readonly duration: number;
  readonly random: () => number;
  /** Told how many are done. */
  readonly onPair?: ((pairs: number) => void) | undefined;
}

/** What a block may hold. */
export interface Bounds {
  /** Operations. */
  readonly least: number;
  readonly most: number;
  /** Parts in an operation; times are told per part. */
  readonly parts: number;
}

/** What one part cost on each side, shortly after each other. */
export interface CostPair {
  readonly base: Cost;
  readonly next: Cost;
}

/** A block of more operations than this would pile up memory, not precision. */
const mostOperations = 20_000;

/** More pairs than these narrow nothing: what is left is what differs between two processes. */
const mostPairs = 1_000;

/** Share of a block's time that is enough to tell how much fills it. */
const nearly = 0.75;

/** What goes before a run, as a share of its time: code is compiled and caches are filled in it. */
const warmUpShare = 0.25;

/**
 * Lets two sides take turns. Of two pairs the second goes the other way round (ABBA), so that a machine
 * that gets slower, or warmer, favours nobody; chance says who begins. Both sides do the same operations
 * throughout, so that their stores and caches have the same past.
 */
export async function measurePairs(
  contest: Contest,
  { least, most, parts }: Bounds,
  { pairs, block, duration, random, onPair }: PairOptions,
): Promise<readonly CostPair[]> {
  const bounds = { least, most: Math.min(mostOperations, most) };
  await spend(duration * warmUpShare, await calibrate(contest, bounds, block), contest);
  const work = { operations: await calibrate(contest, bounds, block), parts };
  const measured: CostPair[] = [];
  const end = performance.now() + duration;
  while (measured.length < pairs || (performance.now() < end && measured.length < mostPairs)) {
    const baseFirst = random() < 0.5;
    for (const order of [baseFirst, !baseFirst]) {
      measured.push(await measurePair(contest, work, order));
    }
    onPair?.(measured.length);
  }
  return measured;
}

async function spend(
  milliseconds: number,
  operations: number,
  { base, next }: Contest,
): Promise<void> {
  const end = performance.now() + milliseconds;
  do {
    await base.run(operations);
    await next.run(operations);
  } while (performance.now() < end);
}

async function measurePair(
  { base, next }: Contest,
  work: Work,
  baseFirst: boolean,
): Promise<CostPair> {
  if (baseFirst) return { base: await costOf(base, work), next: await costOf(next, work) };
  const first = await costOf(next, work);
  return { base: await costOf(base, work), next: first };
}

interface Work {
  readonly operations: number;
  readonly parts: number;
}

async function costOf({ run }: Contestant, { operations, parts }: Work): Promise<Cost> {
  const { time, processor } = await run(operations);
  const count = operations * parts;
  return { time: time / count, processor: processor / count };
}

/** How many operations fill a block on the slower side. */
async function calibrate(
  { base, next }: Contest,
  { least, most }: Pick<Bounds, "least" | "most">,
  block: number,
): Promise<number> {
  const bounded = (count: number): number => Math.max(least, Math.min(most, Math.round(count)));
  let count = bounded(1);
  for (;;) {
    const took = Math.max((await base.run(count)).time, (await next.run(count)).time);
    const wanted = bounded((count * block) / took);
    // Code that has just been compiled is faster than it was: only a whole block tells how many fill one.
    if (took >= block * nearly || wanted <= count) return wanted;
    count = Math.min(wanted, count * 4);
  }
}
