import { expect, it } from "vitest";
import { parseDuration } from "./parse-duration.ts";

it.each([
  ["250ms", 250],
  ["20s", 20_000],
  ["1.5s", 1_500],
  ["2m", 120_000],
])("parseDuration() takes %s", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

it.each(["", "20", "s", "0s", "-1s", "1h", "1e3s", "20 s", "20s ", "2000m", "9999999999s"])(
  "parseDuration() refuses %j",
  (text) => {
    expect(() => parseDuration(text)).toThrow("Wanted a duration");
  },
);
