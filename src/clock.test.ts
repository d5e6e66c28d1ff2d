import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { now } from "./clock.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000 }));
afterEach(() => void vi.useRealTimers());

test("now() is strictly increasing inside one millisecond", () => {
  const instants = Array.from({ length: 10_000 }, now);
  for (let index = 1; index < instants.length; index += 1) {
    expect(instants[index]!.mtime > instants[index - 1]!.mtime).toBe(true);
  }
});

test("now() is strictly increasing when the wall clock steps back", () => {
  const before = now();
  vi.setSystemTime(Date.now() - 60_000);
  const after = now();
  expect(after.mtime).toBeGreaterThan(before.mtime);
  expect(after.mtime - before.mtime).toBeLessThan(1);
});

test("now() follows the wall clock when that is ahead", () => {
  now();
  vi.setSystemTime(Date.now() + 60_000);
  expect(now().mtime).toBe(Date.now());
});

test("now() names its millisecond in ISO 8601, also after more than 1,000 ticks in one", () => {
  for (let tick = 0; tick < 2_500; tick += 1) {
    const { ts, mtime } = now();
    expect(ts).toBe(new Date(Math.floor(mtime)).toISOString());
  }
});

test("now() ticks in microseconds that a double holds", () => {
  now();
  for (let tick = 0; tick < 1_000; tick += 1) {
    const { mtime } = now();
    expect(Math.round(mtime * 1_000) / 1_000).toBe(mtime);
  }
});
