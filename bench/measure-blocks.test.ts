import { expect, test } from "vitest";
import { measureBlocks, type Contestant } from "./measure-blocks.ts";
import { seededRandom } from "./seeded-random.ts";
import type { Work } from "./workload.ts";

const { signal } = new AbortController();

function contestant(name: string, work: Work, bounds: Partial<Contestant> = {}): Contestant {
  return { name, work, parts: 1, least: 1, most: Infinity, ...bounds };
}

/** Writes down what is run, in order. */
function recording(log: string[], name: string): Work {
  return {
    run: async (operations) => void log.push(`${name} ${operations}`),
    arrange: async (operations) => void log.push(`${name} arranges ${operations}`),
    reset: async () => void log.push(`${name} resets`),
  };
}

test("everybody has one turn a block, in an order that changes", async () => {
  const log: string[] = [];
  const names = ["a", "b", "c"];
  const all = names.map((name) => contestant(name, recording(log, name), { most: 5 }));
  const random = seededRandom(1);
  const options = { blocks: 20, milliseconds: 1, random, signal };
  const times = await measureBlocks(all, options);
  const turns = log.filter((line) => /^\w \d+$/.test(line)).slice(-60);
  const orders = new Set<string>();
  for (let block = 0; block < 20; block += 1) {
    const order = turns.slice(block * 3, block * 3 + 3).map(([name]) => name);
    expect(new Set(order)).toEqual(new Set(names));
    orders.add(order.join(""));
  }
  expect(orders.size).toBeGreaterThan(3);
  expect([...times.values()].map((list) => list.length)).toEqual([20, 20, 20]);
});

test("what a run uses up is arranged before it, for as many operations, and undone after it", async () => {
  const log: string[] = [];
  const options = { blocks: 2, milliseconds: 1, random: seededRandom(1), signal };
  await measureBlocks([contestant("a", recording(log, "a"), { least: 3, most: 3 })], options);
  const round = ["a arranges 3", "a 3", "a resets"];
  // The first one finds out how many operations fill a block.
  expect(log).toEqual([...round, ...round, ...round]);
});

test("a time is the time of one part of one operation, without what is arranged and undone", async () => {
  const spin = (milliseconds: number): void => {
    const begin = performance.now();
    while (performance.now() - begin < milliseconds);
  };
  const work: Work = {
    run: async (operations) => spin(operations * 2),
    arrange: async () => spin(20),
    reset: async () => spin(20),
  };
  const options = { blocks: 3, milliseconds: 10, random: seededRandom(1), signal };
  const times = await measureBlocks([contestant("a", work, { parts: 4 })], options);
  const [least] = (times.get("a") ?? []).toSorted((left, right) => left - right);
  expect(least).toBeGreaterThanOrEqual(0.5);
  // Another process may take the processor for a while, but hardly in all three blocks.
  expect(least).toBeLessThan(5);
});

test("an abort ends it before the next turn", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const work: Work = { run: async () => controller.abort(reason) };
  const options = { blocks: 5, milliseconds: 1, random: seededRandom(1) };
  const run = measureBlocks([contestant("a", work)], { ...options, signal: controller.signal });
  await expect(run).rejects.toBe(reason);
});
