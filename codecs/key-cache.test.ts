import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createKeyCache, type KeyCacheLimits } from "./key-cache.ts";

const generous: KeyCacheLimits = { maxAgeMs: 1_000, maxKeys: 100, maxUses: Infinity };

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

test("a cache gives back what it was given, for each session and slot", () => {
  const cache = createKeyCache<number>(generous);
  // Pairs that would be the same text if they were simply joined.
  cache.set("b", "a", 1);
  cache.set("ab", "", 2);
  cache.set("", "ab", 3);
  cache.set("1:a", "", 4);
  const read = [
    cache.get("b", "a"),
    cache.get("ab", ""),
    cache.get("", "ab"),
    cache.get("1:a", ""),
  ];
  expect(read).toEqual([1, 2, 3, 4]);
  expect(cache.get("c", "a")).toBeUndefined();
});

test("an entry is gone when it is old enough, however often it was used", () => {
  const cache = createKeyCache<number>(generous);
  cache.set("s", "k", 1);
  for (let step = 0; step < 9; step += 1) {
    vi.advanceTimersByTime(100);
    expect(cache.get("s", "k")).toBe(1);
  }
  vi.advanceTimersByTime(100);
  expect(cache.get("s", "k")).toBeUndefined();
  expect(cache.size()).toBe(0);
});

test("an entry ages while the computer sleeps, and when the clock is set back", () => {
  for (const jump of [2_000, -2_000]) {
    const cache = createKeyCache<number>(generous);
    cache.set("s", "k", 1);
    vi.setSystemTime(Date.now() + jump);
    expect(cache.get("s", "k")).toBeUndefined();
  }
});

test("old entries that nobody asks for leave with the next arrival", () => {
  const cache = createKeyCache<number>(generous);
  for (let index = 0; index < 50; index += 1) cache.set(`s${index}`, "k", index);
  vi.advanceTimersByTime(1_001);
  cache.set("s", "k", 1);
  expect(cache.size()).toBe(1);
});

test("the session that was not used for longest makes room", () => {
  const cache = createKeyCache<string>({ ...generous, maxKeys: 2 });
  cache.set("a", "k", "a");
  cache.set("b", "k", "b");
  cache.get("a", "k");
  cache.set("c", "k", "c");
  const left = ["a", "b", "c"].map((sessionId) => cache.get(sessionId, "k"));
  expect(left).toEqual(["a", undefined, "c"]);
  expect(cache.size()).toBe(2);
});

test("of one session's entries the oldest makes room", () => {
  const cache = createKeyCache<string>({ ...generous, maxKeys: 2 });
  for (const slot of ["a", "b", "c"]) cache.set("s", slot, slot);
  const left = ["a", "b", "c"].map((slot) => cache.get("s", slot));
  expect(left).toEqual([undefined, "b", "c"]);
});

test("a cache behaves like a list of what was set, in any order of calls", () => {
  const call = fc.record({
    name: fc.constantFrom("get", "get", "set", "set", "drop", "clear"),
    sessionId: fc.constantFrom("s", "t", "u"),
    slot: fc.constantFrom("", "a", "b"),
  });
  fc.assert(
    fc.property(
      fc.array(call, { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      (calls, maxKeys) => {
        const cache = createKeyCache<number>({ ...generous, maxKeys });
        const model = new Map<string, number>();
        for (const [index, { name, sessionId, slot }] of calls.entries()) {
          const place = `${sessionId}:${slot}`;
          if (name === "set") {
            cache.set(sessionId, slot, index);
            model.set(place, index);
            expect(cache.get(sessionId, slot)).toBe(index);
          } else if (name === "get") {
            // Forgetting is allowed, and anything else is not.
            expect([undefined, model.get(place)]).toContain(cache.get(sessionId, slot));
          } else {
            if (name === "drop") cache.drop(sessionId);
            else cache.clear();
            for (const known of model.keys()) {
              if (name === "clear" || known.startsWith(`${sessionId}:`)) model.delete(known);
            }
          }
          expect(cache.size()).toBeLessThanOrEqual(Math.min(maxKeys, model.size));
          const found = ["s", "t", "u"].flatMap((id) =>
            ["", "a", "b"].map((at) => cache.get(id, at)),
          );
          expect(found.filter((value) => value !== undefined)).toHaveLength(cache.size());
        }
      },
    ),
  );
});

test("an entry is handed out so many times, its first use included", () => {
  const cache = createKeyCache<number>({ ...generous, maxUses: 3 });
  cache.set("s", "k", 1);
  expect([1, 2, 3].map(() => cache.get("s", "k"))).toEqual([1, 1, undefined]);
  const once = createKeyCache<number>({ ...generous, maxUses: 1 });
  once.set("s", "k", 1);
  expect(once.get("s", "k")).toBeUndefined();
});

test("a cache of age 0 keeps nothing", () => {
  const cache = createKeyCache<number>({ ...generous, maxAgeMs: 0 });
  cache.set("s", "k", 1);
  expect(cache.size()).toBe(0);
});

test("drop forgets all of one session and nothing of another", () => {
  const cache = createKeyCache<number>(generous);
  cache.set("s", "a", 1);
  cache.set("s", "b", 2);
  cache.set("t", "a", 3);
  cache.drop("s");
  expect([cache.get("s", "a"), cache.get("s", "b"), cache.get("t", "a")]).toEqual([
    undefined,
    undefined,
    3,
  ]);
  cache.clear();
  expect(cache.size()).toBe(0);
});
