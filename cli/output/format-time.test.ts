import { describe, expect, it } from "vitest";
import { formatAge, formatTime, isoTime } from "./format-time.ts";

describe("formatTime()", () => {
  it("shows a moment in UTC to the second", () => {
    expect(formatTime("2026-11-30T06:22:01.999Z")).toBe("2026-11-30 06:22:01Z");
    expect(formatTime(0.5)).toBe("1970-01-01 00:00:00Z");
  });

  it("shows what is no moment as a dash", () => {
    expect(["never", 1e300, Number.NaN].map(formatTime)).toEqual(["-", "-", "-"]);
    expect(isoTime(1e300)).toBeNull();
  });
});

describe("formatAge()", () => {
  it.each([
    [-5_000, "just now"],
    [59_999, "just now"],
    [60_000, "1 minute ago"],
    [7_200_000, "2 hours ago"],
    [90_000_000, "1 day ago"],
    [40 * 86_400_000, "40 days ago"],
  ])("shows %i milliseconds as %s", (age, expected) => {
    expect(formatAge(0, age)).toBe(expected);
  });
});
