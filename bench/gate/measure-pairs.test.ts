import { describe, expect, it } from "vitest";
import { seededRandom } from "../seeded-random.ts";
import { measurePairs, type Contestant } from "./measure-pairs.ts";

const bounds = { least: 1, most: Infinity, parts: 1 };
/** No time at all, so that there is no warm-up and the fewest pairs are all there are. */
const options = { pairs: 8, block: 10, duration: 0 };

/** Sides that take what they say, and a note of who ran when. */
function contest(
  base: number,
  next: number,
): {
  readonly base: Contestant;
  readonly next: Contestant;
  readonly turns: Array<readonly [side: "base" | "next", operations: number]>;
} {
  const turns: Array<readonly [side: "base" | "next", operations: number]> = [];
  const side = (name: "base" | "next", each: number): Contestant => ({
    async run(operations) {
      turns.push([name, operations]);
      return { time: operations * each, processor: (operations * each) / 2 };
    },
  });
  return { base: side("base", base), next: side("next", next), turns };
}

describe("measurePairs", () => {
  it("tells the cost of one part on each side", async () => {
    const sides = contest(0.5, 1);
    const parts = { ...bounds, parts: 10 };
    const pairs = await measurePairs(sides, parts, { ...options, random: seededRandom(1) });
    expect(pairs).toHaveLength(8);
    for (const { base, next } of pairs) {
      expect(base.time).toBeCloseTo(0.05, 12);
      expect(next.time).toBeCloseTo(0.1, 12);
      expect(next.processor).toBeCloseTo(0.05, 12);
    }
  });

  it("goes there and back in every two pairs, and lets both sides begin", async () => {
    const sides = contest(1, 1);
    await measurePairs(sides, bounds, { ...options, pairs: 40, random: seededRandom(1) });
    const measured = sides.turns.slice(-80).map(([name]) => name);
    const quads = Array.from({ length: 20 }, (_, index) =>
      measured.slice(index * 4, index * 4 + 4),
    );
    const orders = new Set(quads.map((quad) => quad.join(" ")));
    expect(orders).toEqual(new Set(["base next next base", "next base base next"]));
  });

  it("gives both sides the same operations, so many that the slower one fills its block", async () => {
    const sides = contest(0.5, 2);
    await measurePairs(sides, bounds, { ...options, random: seededRandom(1) });
    const counts = (wanted: string): readonly number[] =>
      sides.turns.filter(([name]) => name === wanted).map(([, operations]) => operations);
    expect(counts("base")).toEqual(counts("next"));
    expect(counts("base").at(-1)).toBe(5);
  });

  it("keeps to the bounds of the work", async () => {
    const few = contest(100, 100);
    await measurePairs(few, { ...bounds, least: 8 }, { ...options, random: seededRandom(1) });
    expect(new Set(few.turns.map(([, operations]) => operations))).toEqual(new Set([8]));
    const many = contest(0.001, 0.001);
    await measurePairs(many, { ...bounds, most: 4 }, { ...options, random: seededRandom(1) });
    expect(new Set(many.turns.map(([, operations]) => operations))).toEqual(new Set([1, 4]));
  });
});
