import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "./seeded-random.ts";
import {
  holm,
  ratioEvidence,
  ratioInterval,
  shiftEvidence,
  shiftInterval,
  spreadOf,
} from "./statistics.ts";

const seed = 20_261_130;

/** Box and Muller's normal deviates. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Ratios around `ratio` whose logarithms remember their neighbour by `memory`, as times on a busy machine do. */
function noisyRatios(
  { ratio, count, memory }: { ratio: number; count: number; memory: number },
  random: () => number,
): number[] {
  let noise = normal(random) / Math.sqrt(1 - memory ** 2);
  return Array.from({ length: count }, () => {
    noise = memory * noise + normal(random);
    return ratio * Math.exp(0.05 * noise);
  });
}

const positive = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
const positives = fc.array(positive, { minLength: 1, maxLength: 12 });
const fewRuns = { numRuns: 25, seed };

describe("spreadOf", () => {
  it("gives median and extremes of numbers in any order, and leaves them as they were", () => {
    const values = Object.freeze([3, 1, 10, 2]);
    expect(spreadOf(values)).toEqual({ median: 2.5, least: 1, most: 10 });
  });

  it("refuses to summarise nothing", () => {
    expect(() => spreadOf([])).toThrow(RangeError);
  });
});

describe("ratioInterval", () => {
  it("recovers a ratio from noise, and does not mind one wild block", () => {
    const random = seededRandom(seed);
    const ratios = noisyRatios({ ratio: 1.3, count: 30, memory: 0.3 }, random);
    const { estimate, low, high } = ratioInterval(ratios.with(7, 90), random);
    expect(estimate).toBeCloseTo(1.3, 1);
    expect([low > 1.2, high < 1.4]).toEqual([true, true]);
  });

  it.each([0, 0.3])(
    "holds the true ratio in about 95 % of cases, with memory %d",
    (memory) => {
      const random = seededRandom(seed);
      const runs = 100;
      let held = 0;
      for (let run = 0; run < runs; run += 1) {
        const { low, high } = ratioInterval(
          noisyRatios({ ratio: 2, count: 30, memory }, random),
          random,
        );
        if (low <= 2 && high >= 2) held += 1;
      }
      expect(held / runs).toBeGreaterThan(0.9);
      expect(held / runs).toBeLessThan(0.99);
    },
    600_000,
  );

  it("gives a single ratio as it is, and takes it as evidence of nothing", () => {
    const { interval, pValue } = ratioEvidence([1.5], 1.1, seededRandom(seed));
    for (const value of Object.values(interval)) expect(value).toBeCloseTo(1.5, 12);
    expect(interval.low).toBe(interval.high);
    expect(pValue).toBe(1);
  });

  it("scales with its ratios", () => {
    fc.assert(
      fc.property(positives, positive, (ratios, scale) => {
        const plain = ratioInterval(ratios, seededRandom(seed));
        const scaled = ratioInterval(
          ratios.map((one) => one * scale),
          seededRandom(seed),
        );
        for (const end of ["estimate", "low", "high"] as const) {
          expect(Math.abs(scaled[end] / (plain[end] * scale) - 1)).toBeLessThan(1e-6);
        }
      }),
      fewRuns,
    );
  });

  it("keeps its estimate inside, and is never not a number", () => {
    fc.assert(
      fc.property(positives, (ratios) => {
        const { estimate, low, high } = ratioInterval(ratios, seededRandom(seed));
        expect(low).toBeLessThanOrEqual(estimate);
        expect(estimate).toBeLessThanOrEqual(high);
      }),
      fewRuns,
    );
  });

  it.each([[[]], [[1, 0]], [[1, Number.NaN]], [[Infinity]], [[-1]]])(
    "refuses ratios that cannot be: %j",
    (ratios) => expect(() => ratioInterval(ratios, seededRandom(seed))).toThrow(RangeError),
  );
});

describe("ratioEvidence", () => {
  it("finds a ratio above its limit, and none that is right at it", () => {
    const random = seededRandom(seed);
    const ratios = noisyRatios({ ratio: 1.3, count: 30, memory: 0.3 }, random);
    expect(ratioEvidence(ratios, 1.1, random).pValue).toBeLessThan(0.001);
    expect(ratioEvidence(ratios, 1.3, random).pValue).toBeGreaterThan(0.05);
    expect(ratioEvidence(ratios, 1.5, random).pValue).toBeGreaterThan(0.999);
  });

  it("agrees with its interval: the near end is above the limit where the chance is below 2.5 %", () => {
    const random = seededRandom(seed);
    for (let run = 0; run < 30; run += 1) {
      const ratios = noisyRatios({ ratio: 1.13, count: 30, memory: 0.3 }, random);
      const { interval, pValue } = ratioEvidence(ratios, 1.1, random);
      if (pValue < 0.024) expect(interval.low).toBeGreaterThan(1.1);
      if (pValue > 0.026) expect(interval.low).toBeLessThan(1.1);
    }
  });
});

describe("shiftInterval", () => {
  it("recovers the ratio of two samples that were measured apart", () => {
    const random = seededRandom(seed);
    const base = noisyRatios({ ratio: 8, count: 40, memory: 0.3 }, random);
    const next = noisyRatios({ ratio: 10, count: 25, memory: 0.3 }, random);
    const { estimate, low, high } = shiftInterval(base, next, random);
    expect(estimate).toBeCloseTo(1.25, 1);
    expect([low > 1.15, high < 1.35]).toEqual([true, true]);
    expect(shiftEvidence(base, next, 1.1, random).pValue).toBeLessThan(0.001);
    expect(shiftEvidence(next, base, 1.1, random).pValue).toBeGreaterThan(0.999);
  });

  it("is turned over when the samples are swapped", () => {
    fc.assert(
      fc.property(positives, positives, (base, next) => {
        const there = shiftInterval(base, next, seededRandom(seed)).estimate;
        const back = shiftInterval(next, base, seededRandom(seed)).estimate;
        expect(Math.abs(there * back - 1)).toBeLessThan(1e-9);
      }),
      fewRuns,
    );
  });

  it("refuses an empty side", () => {
    expect(() => shiftInterval([], [1], seededRandom(seed))).toThrow(RangeError);
    expect(() => shiftInterval([1], [], seededRandom(seed))).toThrow(RangeError);
  });
});

describe("holm", () => {
  it("multiplies the least chance most, and keeps their order", () => {
    expect(holm([0.04, 0.01, 0.03])).toEqual([0.06, 0.03, 0.06]);
  });

  it("never gives more than 1, and nothing for nothing", () => {
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});
