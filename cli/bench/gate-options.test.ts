import { expect, it } from "vitest";
import { parseKinds } from "./gate-options.ts";

it.each([
  ["W01", ["W01"]],
  ["W08", ["W08"]],
  ["w02,W08/LARGE", ["W02/10", "W02/100", "W08/large"]],
])("parseKinds() takes %s", (text, ids) => {
  expect(parseKinds(text).map(({ id }) => id)).toEqual(ids);
});

it.each(["", "W99", "W01,", "W01;W02"])("parseKinds() refuses %j", (text) => {
  expect(() => parseKinds(text)).toThrow("Wanted some of W01");
});
