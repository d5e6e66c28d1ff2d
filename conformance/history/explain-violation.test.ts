// Goal: an explanation is small, true and readable: it shows only operations that are needed, and
// never one that looks wrong because another was left out.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import { explainViolation } from "./explain-violation.ts";
import type { History, Operation } from "./history.ts";
import { append, at, head, operation, read, shows } from "./testing/operations.ts";
import { corruptions, shorteningCorruptions } from "./testing/corrupt-history.ts";
import { growingCorruptions } from "./testing/corrupt-growing-log.ts";
import { createRandom } from "./testing/random.ts";
import { sceneOf } from "./testing/scene.ts";
import { simulateHistory } from "./testing/simulate-history.ts";

test("a stale read among others is shown with the append that it misses", () => {
  const before = Array.from({ length: 5 }, (_, index) =>
    operation(`a${index}`, [10 * index, 10 * index + 5], append(`x${index}`), at(index + 1)),
  );
  const stale = operation("reader", [60, 61], read, shows("x0 x1 x2"));
  const others = [operation("b", [50, 65], head, at(5)), operation("c", [62, 63], head, at(5))];
  const final = operation("final", [90, 91], read, shows("x0 x1 x2 x3 x4"));
  const history = { operations: [...before, ...others, stale, final] };
  const [violation] = checkHistory(history).violations;
  expect(explainViolation(history, violation!).lines).toEqual([
    'H6 in session "s": reader began after a4 had its answer, and contradicts it.',
    "  a4      ||      append x4     head 5",
    "  reader    ||    read after 0  seq 1 to 3: x0 x1 x2",
    "  final       ||  read after 0  seq 1 to 5: x0 x1 x2 x3 x4",
    "  Beside 4 other changes, which may have been applied or not.",
  ]);
});

test("a call without an answer is shown open", () => {
  const history = {
    operations: [
      operation("a", [1, 2], append("x y")),
      operation("final", [3, 4], read, shows("x")),
    ],
  };
  const [violation] = checkHistory(history).violations;
  expect(explainViolation(history, violation!).lines).toEqual([
    'H3 in session "s": The append of x is torn at seq 1.',
    "  a      |--?  append x y    no answer",
    "  final   ||   read after 0  seq 1 to 1: x",
  ]);
});

test.each([
  ["only grow", false, { ...corruptions, ...growingCorruptions }],
  ["are truncated and deleted", true, { ...corruptions, ...shorteningCorruptions }],
])("what is shown of logs that %s is wrong by itself", (_, shortens, kinds) => {
  const sizes: Record<string, number[]> = { search: [], rules: [] };
  for (const [index, [kind, corrupt]] of Object.entries(kinds).entries()) {
    const history = corruptedHistory(index, shortens, corrupt);
    const violation = checkHistory(history).violations[0]!;
    const { operations, background } = explainViolation(history, violation);
    const isBroken = (kept: readonly Operation[]): boolean => {
      const weakened = withUnanswered(kept, [...operations, ...background]);
      return checkHistory(weakened, { visits: 500 }).violations.some(
        ({ rule }) => rule === violation.rule,
      );
    };
    expect(isBroken(operations), kind).toBe(true);
    sizes[violation.rule === "linearizability" ? "search" : "rules"]!.push(operations.length);
    if (violation.rule === "linearizability") continue;
    for (const one of operations.filter(({ outcome }) => outcome.status !== "unknown")) {
      expect(isBroken(operations.filter((other) => other !== one)), kind).toBe(false);
    }
  }
  console.log(`explained: ${JSON.stringify(sizes)}`);
  expect(Math.max(...sizes["rules"]!)).toBeLessThanOrEqual(4);
  expect(Math.max(0, ...sizes["search"]!)).toBeLessThanOrEqual(20);
});

function corruptedHistory(
  first: number,
  shortens: boolean,
  corrupt: (typeof corruptions)[string],
): History {
  for (let seed = first; ; seed += 1) {
    const random = createRandom(seed);
    const plain = { clients: 4, calls: 60, sessions: 1, losses: 0.01, longReads: true };
    const history = simulateHistory(random, { ...plain, shortens });
    const corrupted = corrupt(sceneOf(history, "s0", random));
    if (corrupted !== undefined) return corrupted;
  }
}

/** A history in which only some operations were answered; observations without an answer are left out. */
function withUnanswered(kept: readonly Operation[], all: readonly Operation[]): History {
  const operations = all.flatMap((one): Operation[] => {
    if (kept.includes(one)) return [one];
    if (one.outcome.status === "refused" || one.outcome.status === "conflict") return [];
    return [{ ...one, end: null, outcome: { status: "unknown" } }];
  });
  return { operations };
}
