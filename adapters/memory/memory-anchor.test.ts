import { expect, test } from "vitest";
import { memoryAnchor } from "./memory-anchor.ts";

const point = { seq: 1, tag: "aa" };

test("set() compares and sets", async () => {
  const anchor = memoryAnchor();
  expect(await anchor.get("a")).toBeNull();
  expect(await anchor.set("a", point, null)).toBe(true);
  expect(await anchor.get("a")).toEqual(point);
  expect(await anchor.set("a", { seq: 2, tag: "bb" }, null)).toBe(false);
  expect(await anchor.set("a", { seq: 2, tag: "bb" }, { seq: 1, tag: "cc" })).toBe(false);
  expect(await anchor.get("a")).toEqual(point);
  expect(await anchor.set("a", { seq: 2, tag: "bb" }, await anchor.get("a"))).toBe(true);
  expect(await anchor.set("a", null, await anchor.get("a"))).toBe(true);
  expect(await anchor.get("a")).toBeNull();
  expect(await anchor.set("a", null, null)).toBe(true);
});

test("set() keeps sessions apart and takes points that went through JSON", async () => {
  const anchor = memoryAnchor();
  const full = { seq: 3, tag: "aa", nextTag: "bb", cut: "cc" };
  await anchor.set("a", full, null);
  await anchor.set("b", point, null);
  const copy = JSON.parse(JSON.stringify(full)) as typeof full;
  expect(await anchor.set("a", { seq: 4, tag: "dd" }, copy)).toBe(true);
  expect(await anchor.get("b")).toEqual(point);
});

test("set() keeps points of its own", async () => {
  const anchor = memoryAnchor();
  const mine = { ...point };
  await anchor.set("a", mine, null);
  mine.seq = 9;
  expect(await anchor.get("a")).toEqual(point);
});
