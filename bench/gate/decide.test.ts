import { describe, expect, it } from "vitest";
import { seededRandom } from "../seeded-random.ts";
import { correct, decide, isSuspect, resultOf } from "./decide.ts";
import type { ContestResult, Pair } from "./gate-report.ts";

const threshold = 0.1;

/** A run of a machine on which neighbouring blocks differ by about `noise`. */
function simulated(seed: number, ratio: number, noise: number, count = 60): ContestResult {
  const random = seededRandom(seed);
  const wobble = (): number => Math.exp(noise * (random() + random() + random() - 1.5) * 2);
  const pairs: Pair[] = Array.from({ length: count }, () => {
    const base = wobble();
    return { base, next: base * ratio * wobble() };
  });
  return resultOf(pairs, threshold);
}

/** What the gate says of runs of one figure. */
function judged(first: ContestResult, second: ContestResult | null = null): string {
  return decide(first, correct([first])[0] ?? 1, second, threshold);
}

describe("the gate's decision", () => {
  it("is red for what is slower in both runs", () => {
    expect(judged(simulated(1, 1.3, 0.1), simulated(2, 1.3, 0.1))).toBe("slower");
  });

  it("stays green where a second run does not confirm the first", () => {
    expect(judged(simulated(1, 1.3, 0.1), simulated(2, 1.0, 0.1))).toBe("not confirmed");
  });

  it("stays green where a second run is too noisy to confirm anything", () => {
    expect(judged(simulated(1, 1.3, 0.1), simulated(2, 1.3, 1, 10))).toBe("not confirmed");
  });

  it("calls the same code the same, and a faster one faster", () => {
    expect(judged(simulated(1, 1, 0.1))).toBe("same");
    expect(judged(simulated(1, 0.7, 0.1))).toBe("faster");
  });

  it("calls a slow-down below the threshold the same", () => {
    expect(judged(simulated(1, 1.05, 0.1))).toBe("same");
  });

  it("is unsure where noise hides everything", () => {
    expect(judged(simulated(3, 1.3, 1.5, 10))).toBe("unsure");
  });

  it("is hardly ever suspicious of the same code, and hardly ever misses a slow-down", () => {
    const seeds = Array.from({ length: 25 }, (_, index) => index);
    const suspectsAt = (ratio: number): number =>
      seeds.filter((seed) => isSuspect(simulated(seed, ratio, 0.1, 60).pValue)).length;
    expect(suspectsAt(1)).toBe(0);
    expect(suspectsAt(1.2)).toBe(seeds.length);
  });

  it("asks more of each figure the more there are", () => {
    const borderline = [1, 2, 3, 4, 5, 6].map((seed) => {
      return { ...simulated(seed, 1.1, 0.1), pValue: 0.02 };
    });
    const [one] = borderline;
    expect(correct([one!]).some(isSuspect)).toBe(true);
    expect(correct(borderline).some(isSuspect)).toBe(false);
  });

  it("is unsure of what only looks slow among many", () => {
    const first = { ...simulated(1, 1.3, 0.1), pValue: 0.02 };
    expect(decide(first, 0.12, null, threshold)).toBe("unsure");
  });
});
