import { seededRandom } from "../seeded-random.ts";
import { shuffled } from "../shuffled.ts";
import type { Comparison, Contestant } from "./workload.ts";

/** How often every contestant runs in one round. */
const turns = 11;
const warmUpRounds = 1;

/** What one operation cost in one round, in milliseconds. */
interface Cost {
  readonly wall: number;
  /** Processor time of all threads, which other processes on the machine hardly change. */
  readonly cpu: number;
}

/** By contestant, one cost a round. */
export type Costs = ReadonlyMap<string, readonly Cost[]>;

/**
 * Times contestants that take turns in one process, so that whatever else the machine does hits all
 * of them alike, in another order each turn, so that no one always pays for what the same one left
 * behind. Of a round's turns the median counts for time,
 * which leaves out those in which the machine did something else, and the mean for processor time,
 * which leaves out nothing. The first round does not count.
 */
export async function measure(contestants: readonly Contestant[], rounds: number): Promise<Costs> {
  const costs = new Map<string, Cost[]>(contestants.map(({ name }) => [name, []]));
  const random = seededRandom(7);
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const ofRound = new Map<string, Cost[]>(contestants.map(({ name }) => [name, []]));
    for (let turn = 0; turn < turns; turn += 1) {
      for (const contestant of shuffled(contestants, random)) {
        ofRound.get(contestant.name)?.push(await costOf(contestant));
      }
    }
    if (round < 0) continue;
    for (const [name, list] of ofRound) {
      const wall = spreadOf(list.map((cost) => cost.wall)).median;
      const cpu = list.reduce((sum, cost) => sum + cost.cpu, 0) / list.length;
      costs.get(name)?.push({ wall, cpu });
    }
  }
  return costs;
}

async function costOf({ run, reset, operations }: Contestant): Promise<Cost> {
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  await run();
  const wall = (performance.now() - begin) / operations;
  const { user, system } = process.cpuUsage(cpuBefore);
  await reset?.();
  return { wall, cpu: (user + system) / 1_000 / operations };
}

/** Median and range of some numbers. */
interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** A comparison with its figures. */
export interface Result {
  readonly comparison: Comparison;
  /** Milliseconds per operation. */
  readonly time: number;
  readonly floorTime: number | null;
  /** Of the ratios of each round. */
  readonly ratio: Spread | null;
  /** The same of processor time. */
  readonly cpuRatio: Spread | null;
  /** null without a goal. */
  readonly reached: boolean | null;
}

/** Works a comparison out. */
export function compare(comparison: Comparison, costs: Costs): Result {
  const { subject, floor, goal } = comparison;
  const own = costsOf(costs, subject);
  const time = spreadOf(own.map(({ wall }) => wall)).median;
  if (floor === undefined) {
    return { comparison, time, floorTime: null, ratio: null, cpuRatio: null, reached: null };
  }
  const others = costsOf(costs, floor);
  const faster = goal !== undefined && "atLeast" in goal;
  const ratioOf = (kind: keyof Cost): Spread =>
    spreadOf(
      own.map((cost, round) => {
        const other = others[round]?.[kind] ?? Number.NaN;
        return faster ? other / cost[kind] : cost[kind] / other;
      }),
    );
  const ratio = ratioOf("wall");
  return {
    comparison,
    time,
    floorTime: spreadOf(others.map(({ wall }) => wall)).median,
    ratio,
    cpuRatio: ratioOf("cpu"),
    reached: goal === undefined ? null : isReached(goal, ratio.median),
  };
}

function isReached(goal: NonNullable<Comparison["goal"]>, ratio: number): boolean {
  return "atMost" in goal ? ratio <= goal.atMost : ratio >= goal.atLeast;
}

function costsOf(costs: Costs, name: string): readonly Cost[] {
  const found = costs.get(name);
  if (found === undefined) throw new Error(`No contestant is called ${name}`);
  return found;
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
  return { median, least: at(0), most: at(sorted.length - 1) };
}
