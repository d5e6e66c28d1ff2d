import { expect, it } from "vitest";
import { seededRandom } from "../../seeded-random.ts";
import { spreadLabels } from "./spread-labels.ts";

it("spreadLabels() leaves labels alone that have room", () => {
  expect(spreadLabels([90, 10, 50], 14, 0, 100)).toEqual([90, 10, 50]);
});

it("spreadLabels() keeps order, distance and bounds, wherever labels want to stand", () => {
  const random = seededRandom(7);
  for (let run = 0; run < 200; run += 1) {
    const wanted = Array.from({ length: 1 + Math.floor(random() * 8) }, () => random() * 120 - 10);
    const places = spreadLabels(wanted, 14, 0, 100);
    const order = wanted.map((place, index) => ({ place, index }));
    order.sort((left, right) => left.place - right.place);
    const sorted = order.map(({ index }) => places[index]!);
    for (const [index, place] of sorted.entries()) {
      expect(place).toBeGreaterThanOrEqual(0);
      expect(place).toBeLessThanOrEqual(100 + 1e-9);
      if (index > 0) expect(place - sorted[index - 1]!).toBeGreaterThanOrEqual(14 - 1e-9);
    }
  }
});

it("spreadLabels() goes over the end where there is no room at all", () => {
  expect(spreadLabels([5, 5, 5], 10, 0, 10)).toEqual([0, 10, 20]);
});
