import { describe, expect, test } from "vitest";
import { newGeneration } from "./generation.ts";
import { headTokenOf, matchesBase, parseExpectedHead, requireSeq, typeName } from "./head-token.ts";

const head = { seq: 3, generation: "g", tail: null };
const empty = { seq: 0, generation: "g", tail: null };

describe("headTokenOf()", () => {
  test("and parseExpectedHead() are each other's inverse", () => {
    const generation = newGeneration();
    expect(headTokenOf(null)).toBe(":0");
    expect(parseExpectedHead(":0")).toEqual({ generation: "", seq: 0 });
    for (const seq of [0, 1, 2 ** 53 - 1]) {
      const token = headTokenOf({ seq, generation, tail: null });
      expect(parseExpectedHead(token)).toEqual({ generation, seq });
    }
  });
});

describe("parseExpectedHead()", () => {
  test("takes a number as a seq of any history", () => {
    expect(parseExpectedHead(0)).toEqual({ seq: 0 });
    expect(parseExpectedHead(7)).toEqual({ seq: 7 });
  });

  test.each(["", ":", "1", "g", "g:", "g:01", "g:-1", "g:1.5", "g:1 ", "g:a", "a:b:1", "g:1\n"])(
    "refuses the string %j with a TypeError",
    (text) => {
      expect(() => parseExpectedHead(text)).toThrow(TypeError);
    },
  );

  test("refuses a seq beyond 2^53-1 in a token", () => {
    expect(() => parseExpectedHead("g:9007199254740992")).toThrow(TypeError);
  });

  test.each([null, undefined, true, [], {}, 1n, Symbol("1")])("refuses %o", (value) => {
    expect(() => parseExpectedHead(value)).toThrow(TypeError);
  });

  test("repeats nothing of a string it refuses", () => {
    expect(() => parseExpectedHead("secret")).toThrow(/^(?!.*secret)/);
  });
});

describe("matchesBase()", () => {
  test.each([
    ["no base, any head", head, null, true],
    ["no base, absent", null, null, true],
    ["the seq", head, { seq: 3 }, true],
    ["another seq", head, { seq: 2 }, false],
    ["seq and generation", head, { seq: 3, generation: "g" }, true],
    ["another generation", head, { seq: 3, generation: "h" }, false],
    ["0 for absent", null, { seq: 0 }, true],
    ["0 for empty", empty, { seq: 0 }, true],
    ["0 for a log", head, { seq: 0 }, false],
    ["the absent token for absent", null, { seq: 0, generation: "" }, true],
    ["the absent token for empty", empty, { seq: 0, generation: "" }, false],
    ["the empty token for empty", empty, { seq: 0, generation: "g" }, true],
    ["the empty token for absent", null, { seq: 0, generation: "g" }, false],
  ])("%s", (_name, actual, base, matches) => {
    expect(matchesBase(actual, base)).toBe(matches);
  });
});

describe("requireSeq()", () => {
  test.each([0, 1, 2 ** 53 - 1])("accepts %d", (value) => {
    requireSeq("seq", value);
  });

  test.each([-1, 1.5, NaN, Infinity, 2 ** 53])("refuses %d with a RangeError", (value) => {
    expect(() => requireSeq("seq", value)).toThrow(RangeError);
  });

  test.each([null, undefined, "1", [], {}, 1n])("refuses %o with a TypeError", (value) => {
    expect(() => requireSeq("seq", value)).toThrow(TypeError);
  });
});

test.each([
  [null, "null"],
  [[], "an array"],
  [{}, "an object"],
  ["text", "string"],
  [undefined, "undefined"],
])("typeName() of %o is %s", (value, name) => {
  expect(typeName(value)).toBe(name);
});

test("newGeneration() gives 32 hexadecimal digits, never the same", () => {
  const generations = Array.from({ length: 1_000 }, newGeneration);
  expect(new Set(generations).size).toBe(1_000);
  for (const generation of generations) expect(generation).toMatch(/^[0-9a-f]{32}$/);
});
