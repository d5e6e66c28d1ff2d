// Goal: the checker accepts what a correct store can have done and refuses everything else. The
// histories of a simulated correct store are accepted, each of them with one thing wrong is refused,
// and where right and wrong are not known beforehand, all orders of a few operations are tried.

import process from "node:process";
import { describe, expect, test } from "vitest";
import { batchesById } from "./batches.ts";
import { checkAnswer } from "./check-answer.ts";
import { checkHistory } from "./check-history.ts";
import { checkOrder } from "./check-order.ts";
import type { History } from "./history.ts";
import { searchOrder } from "./search-order.ts";
import { hasOrder } from "./testing/array-log.ts";
import {
  blurHistory,
  corruptions,
  shorteningCorruptions,
  type Corruption,
} from "./testing/corrupt-history.ts";
import { growingCorruptions } from "./testing/corrupt-growing-log.ts";
import { createRandom } from "./testing/random.ts";
import { sceneOf } from "./testing/scene.ts";
import { simulateHistory, type Simulation } from "./testing/simulate-history.ts";

/**
 * Seeds for a number of runs: pinned, so that a run is the same everywhere. The variables FUZZ_SEED
 * and SOAK_RUNS look elsewhere and for longer.
 */
function seeds(runs: number): readonly number[] {
  const { FUZZ_SEED: seed, SOAK_RUNS: soak } = process.env;
  const first = Number(seed ?? 20_261);
  return Array.from({ length: Math.max(runs, Number(soak ?? 0)) }, (_, index) => first + index);
}

const growing: Simulation = {
  clients: 4,
  calls: 45,
  sessions: 2,
  shortens: false,
  losses: 0.03,
  longReads: true,
};
const shortening: Simulation = { ...growing, shortens: true };
const small: Simulation = { ...growing, clients: 3, calls: 5, sessions: 1, losses: 0.08 };

describe.each([
  ["only grow", growing, { ...corruptions, ...growingCorruptions }],
  ["are truncated and deleted", shortening, { ...corruptions, ...shorteningCorruptions }],
])("logs that %s", (_, simulation, kinds: Readonly<Record<string, Corruption>>) => {
  test("are accepted as a correct store shows them, and refused with one thing wrong", () => {
    const runs = seeds(1_000);
    const made = new Map(Object.keys(kinds).map((kind) => [kind, 0]));
    const refused: string[] = [];
    const missed: string[] = [];
    for (const seed of runs) {
      const random = createRandom(seed);
      const history = simulateHistory(random, simulation);
      if (checkHistory(history).status !== "valid") refused.push(`seed ${seed}`);
      for (const [kind, corrupt] of Object.entries(kinds)) {
        const corrupted = corrupt(sceneOf(history, `s${random.below(2)}`, random));
        if (corrupted === undefined) continue;
        made.set(kind, made.get(kind)! + 1);
        if (checkHistory(corrupted).status !== "invalid") missed.push(`seed ${seed}: ${kind}`);
      }
    }
    const all = [...made.values()].reduce((sum, count) => sum + count);
    console.log(
      `${all - missed.length} corruptions flagged of ${all}, of ${made.size} kinds; ` +
        `${runs.length - refused.length} originals accepted of ${runs.length}`,
    );
    expect({ refused, missed }).toEqual({ refused: [], missed: [] });
    // A kind that is hardly ever made proves nothing.
    for (const [kind, count] of made) expect(count, kind).toBeGreaterThan(50);
  });
});

test.each([
  ["only grow", small],
  ["are truncated and deleted", { ...small, shortens: true }],
])("small logs that %s are judged as by trying all orders", (_, simulation) => {
  const tally = { valid: 0, invalid: 0, inOrder: 0 };
  const different: string[] = [];
  for (const seed of seeds(2_000)) {
    const random = createRandom(seed);
    const original = simulateHistory(random, simulation);
    for (const history of [original, blurHistory(sceneOf(original, "s0", random)) ?? original]) {
      const wanted = hasOrder(history.operations) ? "valid" : "invalid";
      const inOrder = simulation.shortens ? undefined : statusInOrder(history);
      tally[wanted] += 1;
      if (inOrder !== undefined) tally.inOrder += 1;
      const found = [
        checkHistory(history).status,
        searchOrder(history.operations).status,
        inOrder ?? wanted,
      ];
      if (found.some((status) => status !== wanted))
        different.push(`seed ${seed}: ${found.join()}`);
    }
  }
  console.log(`small logs: ${JSON.stringify(tally)}`);
  expect(different).toEqual([]);
  expect(Math.min(tally.valid, tally.invalid)).toBeGreaterThan(500);
  if (!simulation.shortens) expect(tally.inOrder).toBeGreaterThan(1_000);
});

test("100,000 operations of 8 clients on one log are judged", () => {
  const calls = 100_000;
  const many: Simulation = { ...growing, clients: 8, calls, sessions: 1, losses: 0.01 };
  const history = simulateHistory(createRandom(1), { ...many, longReads: false });
  const started = performance.now();
  const { status } = checkHistory(history);
  console.log(
    `${history.operations.length} operations in ${Math.round(performance.now() - started)} ms`,
  );
  expect(status).toBe("valid");
});

test("a long log that is truncated and deleted by 8 clients at once is judged", () => {
  const many: Simulation = { ...shortening, clients: 8, calls: 5_000, sessions: 1, losses: 0.003 };
  const history = simulateHistory(createRandom(1), many);
  const started = performance.now();
  const { status } = checkHistory(history);
  console.log(
    `${history.operations.length} searched in ${Math.round(performance.now() - started)} ms`,
  );
  expect(status).toBe("valid");
});

function statusInOrder({ operations }: History): string | undefined {
  const batches = batchesById(operations);
  if (operations.some((operation) => checkAnswer(operation, batches) !== undefined))
    return "invalid";
  const found = checkOrder(operations, batches);
  return found === undefined ? undefined : found.length > 0 ? "invalid" : "valid";
}
