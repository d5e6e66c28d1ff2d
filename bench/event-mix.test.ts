import { quantile } from "simple-statistics";
import { expect, test } from "vitest";
import { eventMix } from "./event-mix.ts";

test("the same seed gives the same events, another one gives others", () => {
  expect(eventMix(50, 1)).toEqual(eventMix(50, 1));
  expect(eventMix(50, 2)).not.toEqual(eventMix(50, 1));
});

test("sizes are spread as in real sessions: many small events, a few of tens of kilobytes", () => {
  const sizes = eventMix(4_000, 1).map((event) => Buffer.byteLength(JSON.stringify(event)));
  expect(quantile(sizes, 0.5)).toBeGreaterThan(500);
  expect(quantile(sizes, 0.5)).toBeLessThan(1_000);
  expect(quantile(sizes, 0.99)).toBeGreaterThan(25_000);
  expect(quantile(sizes, 0.99)).toBeLessThan(60_000);
});

test("turns are whole: a prompt, an answer, three tools with their results, a snapshot", () => {
  const types = eventMix(18, 1).map(({ type }) => type);
  expect(types.slice(0, 9)).toEqual(types.slice(9));
  expect(types.filter((type) => type === "tool_result")).toHaveLength(6);
});
