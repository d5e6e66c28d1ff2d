import { expect, it } from "vitest";
import { parseXml, type XmlElement } from "../../../conformance/reports/testing/parse-xml.ts";
import { latencyPlot } from "./latency-plot.ts";

type Percentiles = ReadonlyArray<readonly [number, number]>;

/** What each mark of a plot of one distribution says, and how far right it stands. */
function marksOf(
  count: number,
  percentiles: Percentiles,
): ReadonlyArray<readonly [string, string]> {
  const latency = { name: "append", from: "call", count, rate: null, percentiles } as const;
  const curves = [{ name: "file", style: undefined, latency }];
  const plot = latencyPlot({ id: "x", title: "x", curves, domain: { low: 0.1, high: 100 } });
  const circles = (element: XmlElement): readonly XmlElement[] =>
    element.name === "circle" ? [element] : element.children.flatMap(circles);
  return circles(parseXml(plot.markup)).map(({ children, attributes }) => {
    return [children[0]!.text, attributes["cx"]!] as const;
  });
}

const percentiles: Percentiles = [
  [90, 1],
  [99, 2],
  [99.9, 3],
  [100, 4],
];

it("latencyPlot() draws the longest of n calls where n calls end", () => {
  expect(marksOf(10_000, percentiles)).toEqual([
    ["file: p90 1.00 ms", "25%"],
    ["file: p99 2.00 ms", "50%"],
    ["file: p99.9 3.00 ms", "75%"],
    ["file: most 4.00 ms", "100%"],
  ]);
});

it("latencyPlot() draws no percentile that so few calls cannot tell", () => {
  expect(marksOf(50, percentiles).map(([about]) => about)).toEqual([
    "file: p90 1.00 ms",
    "file: most 4.00 ms",
  ]);
});

it("latencyPlot() leaves out what a logarithmic axis has no place for", () => {
  const times: Percentiles = [
    [50, 0],
    [90, Number.NaN],
    [99, Number.POSITIVE_INFINITY],
    [100, 4],
  ];
  expect(marksOf(10_000, times).map(([about]) => about)).toEqual(["file: most 4.00 ms"]);
});
