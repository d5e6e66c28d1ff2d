import { describe, expect, it } from "vitest";
import { linearScale, linearTicks, logDomain, logScale, logTicks, ninesScale } from "./scale.ts";

describe("scales", () => {
  it("give equal room to equal differences, ratios and nines", () => {
    const linear = linearScale({ low: 10, high: 20 });
    expect([10, 15, 20].map(linear)).toEqual([0, 0.5, 1]);
    const log = logScale({ low: 0.01, high: 100 });
    expect([0.01, 1, 100].map(log)).toEqual([0, expect.closeTo(0.5), 1]);
    const nines = ninesScale(3);
    expect([0, 90, 99, 99.9].map(nines)).toEqual([
      0,
      expect.closeTo(1 / 3),
      expect.closeTo(2 / 3),
      expect.closeTo(1),
    ]);
  });

  it("put what is outside on the nearer end", () => {
    const log = logScale({ low: 1, high: 10 });
    expect([-1, 0, 0.5, 20].map(log)).toEqual([0, 0, 0, 1]);
    expect(ninesScale(3)(100)).toBe(1);
  });
});

describe("logDomain()", () => {
  it.each([
    [[0.97, 1.03], 0.5, 2],
    [[0.2, 3], 0.2, 5],
    [[1], 0.5, 2],
    [[1e-6, 1e-6], 5e-7, 2e-6],
    [[12, 4_100], 10, 5_000],
    [[], 0.5, 2],
    [[0, -1, Number.NaN], 0.5, 2],
  ])("of %j is from %d to %d", (values, low, high) => {
    expect(logDomain(values)).toEqual({ low, high });
  });
});

describe("logTicks()", () => {
  it.each([
    [0.5, 2, 6, [0.5, 1, 2]],
    [0.5, 50, 6, [1, 3, 10, 30]],
    [1, 1_000, 4, [1, 10, 100, 1_000]],
    [1, 1e9, 5, [1, 100, 10_000, 1e6, 1e8]],
    [0.2, 0.5, 6, [0.2, 0.5]],
  ])("from %d to %d, at most %d", (low, high, most, ticks) => {
    expect(logTicks({ low, high }, most)).toEqual(ticks);
  });
});

it("linearTicks() begins at zero, and ends at or above the highest value", () => {
  expect(linearTicks([702, 1_190], 4)).toEqual([0, 500, 1_000, 1_500]);
  expect(linearTicks([1_000], 4)).toEqual([0, 500, 1_000]);
  expect(linearTicks([], 4)).toEqual([0, 1]);
});
