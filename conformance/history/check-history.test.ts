// Goal: the checker accepts what a correct store can have done and refuses everything else. The
// histories of a simulated correct store are accepted, each of them with one thing wrong is refused,
// and where right and wrong are not known beforehand, all orders of a few operations are tried.

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
  growingCorruptions,
  shorteningCorruptions,
  type Corruption,
} from "./testing/corrupt-history.ts";
import { createRandom, seeds } from "./testing/random.ts";
import { sceneOf } from "./testing/scene.ts";
import { simulateHistory, type Simulation } from "./testing/simulate-history.ts";

const growing: Simulation = {
  clients: 4,
  calls: 60,
  sessions: 2,
  shortens: false,
  losses: 0.03,
  longReads: true,
};
const shortening: Simulation = { ...growing, calls: 50, shortens: true };
const small: Simulation = { ...growing, clients: 3, calls: 5, sessions: 1, losses: 0.08 };

describe.each([
  ["only grow", growing, { ...corruptions, ...growingCorruptions }],
  ["are truncated and deleted", shortening, { ...corruptions, ...shorteningCorruptions }],
])("logs that %s", (_, simulation, kinds: Readonly<Record<string, Corruption>>) => {
  test("are accepted as a correct store shows them, and refused with one thing wrong", () => {
    const runs = seeds(1_200);
    const tally = new Map(Object.keys(kinds).map((kind) => [kind, { made: 0, flagged: 0 }]));
    let accepted = 0;
    for (const seed of runs) {
      const random = createRandom(seed);
      const history = simulateHistory(random, simulation);
      expect(checkHistory(history), `seed ${seed}`).toEqual({
        status: "valid",
        violations: [],
        undecided: [],
      });
      accepted += 1;
      for (const [kind, corrupt] of Object.entries(kinds)) {
        const corrupted = corrupt(sceneOf(history, `s${random.below(2)}`, random));
        const counts = tally.get(kind)!;
        if (corrupted === undefined) continue;
        counts.made += 1;
        const { status } = checkHistory(corrupted);
        if (status === "invalid") counts.flagged += 1;
        expect(status, `seed ${seed}: ${kind}`).toBe("invalid");
      }
    }
    const all = [...tally.values()];
    const made = all.reduce((sum, counts) => sum + counts.made, 0);
    const flagged = all.reduce((sum, counts) => sum + counts.flagged, 0);
    console.log(
      `${flagged} corruptions of ${tally.size} kinds flagged of ${made}, ` +
        `${accepted} originals accepted of ${runs.length}`,
    );
    // A kind that is hardly ever made proves nothing.
    for (const [kind, counts] of tally) expect(counts.made, kind).toBeGreaterThan(50);
  });
});

test.each([
  ["only grow", small],
  ["are truncated and deleted", { ...small, shortens: true }],
])("small logs that %s are judged as by trying all orders", (_, simulation) => {
  const tally = { valid: 0, invalid: 0, inOrder: 0 };
  for (const seed of seeds(3_000)) {
    const random = createRandom(seed);
    const original = simulateHistory(random, simulation);
    for (const history of [original, blurHistory(sceneOf(original, "s0", random)) ?? original]) {
      const wanted = hasOrder(history.operations) ? "valid" : "invalid";
      tally[wanted] += 1;
      expect(checkHistory(history).status, `seed ${seed}`).toBe(wanted);
      expect(searchOrder(history.operations).status, `seed ${seed}, search`).toBe(wanted);
      const fast = statusInOrder(history);
      if (simulation.shortens || fast === undefined) continue;
      tally.inOrder += 1;
      expect(fast, `seed ${seed}, order`).toBe(wanted);
    }
  }
  console.log(`small logs: ${JSON.stringify(tally)}`);
  expect(Math.min(tally.valid, tally.invalid)).toBeGreaterThan(500);
});

function statusInOrder({ operations }: History): string | undefined {
  const batches = batchesById(operations);
  if (operations.some((operation) => checkAnswer(operation, batches) !== undefined)) return "invalid";
  const found = checkOrder(operations, batches);
  return found === undefined ? undefined : found.length > 0 ? "invalid" : "valid";
}
