import { expect, test } from "vitest";
import { createBoundedMap } from "./bounded-map.ts";

test("a bounded map forgets what was not used for longest", () => {
  const map = createBoundedMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([1, undefined, 3]);
});

test("a bounded map replaces a value without forgetting another", () => {
  const map = createBoundedMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  expect(["a", "b"].map((key) => map.get(key))).toEqual([3, 2]);
  map.delete("a");
  expect(map.get("a")).toBeUndefined();
  map.clear();
  expect(map.get("b")).toBeUndefined();
});
