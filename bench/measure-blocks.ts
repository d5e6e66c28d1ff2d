import type { RecordableHistogram } from "node:perf_hooks";
import { shuffled } from "./shuffled.ts";
import type { Work } from "./workload.ts";

/** One of the things that take turns. */
export interface Contestant {
  readonly name: string;
  readonly work: Work;
  /** Parts in one operation, such as the events of a batch; times are told per part. */
  readonly parts: number;
  readonly least: number;
  readonly most: number;
  /** Takes the latency of every call, in nanoseconds. */
  readonly histogram?: RecordableHistogram;
}

/** How long to measure. */
export interface BlockOptions {
  readonly blocks: number;
  /** Of one contestant in one block. */
  readonly milliseconds: number;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** A contestant that was given more operations than this in a block would pile up memory, not precision. */
const mostOperations = 20_000;

/**
 * Times contestants that take turns, in another order in every block, so that whatever else the machine
 * does hits all of them alike. By name, milliseconds per part, one entry a block; the first round, which
 * warms everything up and finds out how many operations a block holds, does not count.
 */
export async function measureBlocks(
  contestants: readonly Contestant[],
  { blocks, milliseconds, random, signal }: BlockOptions,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  const operations = new Map<string, number>();
  for (const contestant of contestants) {
    operations.set(contestant.name, await calibrate(contestant, milliseconds, signal));
  }
  for (let block = 0; block < blocks; block += 1) {
    for (const contestant of shuffled(contestants, random)) {
      signal.throwIfAborted();
      const count = operations.get(contestant.name) ?? 1;
      const time = await timeOf(contestant, count, contestant.histogram);
      times.get(contestant.name)?.push(time / contestant.parts);
    }
  }
  return times;
}

/** How many operations fill a block. */
async function calibrate(
  contestant: Contestant,
  milliseconds: number,
  signal: AbortSignal,
): Promise<number> {
  const { least, most } = contestant;
  const bounded = (count: number): number =>
    Math.max(1, least, Math.min(most, mostOperations, Math.round(count)));
  let count = bounded(1);
  for (;;) {
    signal.throwIfAborted();
    const each = await timeOf(contestant, count);
    const wanted = bounded(milliseconds / each);
    // Near enough, or there is no way to get nearer.
    if (count * 3 >= wanted) return wanted;
    count = Math.min(wanted, count * 4);
  }
}

/** Milliseconds for one operation of a run. */
async function timeOf(
  { work }: Contestant,
  operations: number,
  histogram?: RecordableHistogram,
): Promise<number> {
  await work.arrange?.(operations);
  const begin = performance.now();
  await work.run(operations, histogram === undefined ? undefined : recordInto(histogram));
  const took = performance.now() - begin;
  await work.reset?.();
  return took / operations;
}

/** A histogram holds whole nanoseconds, from 1 on. */
export function recordInto(histogram: RecordableHistogram): (milliseconds: number) => void {
  return (milliseconds) => histogram.record(Math.max(1, Math.round(milliseconds * 1e6)));
}
