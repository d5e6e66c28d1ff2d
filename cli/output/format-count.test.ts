import { describe, expect, it } from "vitest";
import { formatBytes, formatCount } from "./format-count.ts";

describe("formatCount()", () => {
  it("groups digits and minds the plural", () => {
    expect([0, 1, 8041].map((count) => formatCount(count, "record"))).toEqual([
      "0 records",
      "1 record",
      "8,041 records",
    ]);
  });
});

describe("formatBytes()", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [999_949, "999.9 kB"],
    [999_950, "1.0 MB"],
    [5.5e12, "5.5 TB"],
    [5e15, "5000.0 TB"],
  ])("shows %i as %s", (bytes, expected) => {
    expect(formatBytes(bytes)).toBe(expected);
  });
});
