import { describe, expect, it } from "vitest";
import {
  dash,
  formatAmount,
  formatBytes,
  formatCount,
  formatInterval,
  formatMoment,
  formatRatio,
  formatTick,
  formatTime,
  formatTimes,
} from "./format-number.ts";

describe("formatTime()", () => {
  it.each([
    [0, "0.00 ns"],
    [0.000_003_6, "3.60 ns"],
    [0.0253, "25.3 µs"],
    [0.999_4, "999 µs"],
    [0.999_6, "1.00 ms"],
    [9.996, "10.0 ms"],
    [842.4, "842 ms"],
    [81_340, "81.3 s"],
    [7_234_000, "7,234 s"],
  ])("shows %d ms as %s", (milliseconds, shown) => {
    expect(formatTime(milliseconds)).toBe(shown);
  });
});

describe("formatRatio()", () => {
  it.each([
    [0, "0.00"],
    [0.0042, "0.0042"],
    [0.97, "0.97"],
    [9.996, "10.0"],
    [12.44, "12.4"],
    [2370.5, "2,371"],
  ])("shows %d as %s", (ratio, shown) => {
    expect(formatRatio(ratio)).toBe(shown);
  });
});

describe("formatBytes()", () => {
  it.each([
    [0, "0 B"],
    [812.4, "812 B"],
    [999.6, "1.00 kB"],
    [41_288, "41.3 kB"],
    [1_080_000_000, "1.08 GB"],
    [1e16, "10,000 TB"],
  ])("shows %d bytes as %s", (bytes, shown) => {
    expect(formatBytes(bytes)).toBe(shown);
  });
});

describe("formatCount()", () => {
  it.each([
    [10_000, "10,000"],
    [1.025, "1.03"],
    [0.0042, "0.0042"],
    [0, "0"],
  ])("shows %d as %s", (count, shown) => {
    expect(formatCount(count)).toBe(shown);
  });
});

it("formatAmount() leaves whole numbers whole", () => {
  expect([3, 26_036.94, 2.614, 0.0042].map(formatAmount)).toEqual([
    "3",
    "26,037",
    "2.61",
    "0.0042",
  ]);
});

it("formatTick() keeps zeros that count", () => {
  expect(["1.00 ms", "1.50 kB", "200 µs", "10.0 s"].map(formatTick)).toEqual([
    "1 ms",
    "1.5 kB",
    "200 µs",
    "10 s",
  ]);
});

it("formatMoment() leaves a text that is no moment alone", () => {
  expect(formatMoment("2026-11-30T13:05:59.000Z")).toBe("2026-11-30 13:05 UTC");
  expect(formatMoment("yesterday")).toBe("yesterday");
});

it("every format shows a dash for what is no number", () => {
  for (const value of [null, Number.NaN, Number.POSITIVE_INFINITY]) {
    const shown = [formatTime, formatRatio, formatTimes, formatBytes, formatCount].map((format) =>
      format(value),
    );
    expect(new Set(shown)).toEqual(new Set([dash]));
  }
  expect(formatInterval({ low: 1, high: Number.NaN })).toBe(dash);
  expect(formatInterval(null)).toBe(dash);
});
