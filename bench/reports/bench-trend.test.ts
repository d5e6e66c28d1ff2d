import { expect, it } from "vitest";
import { benchTrend, type TrendPoint } from "./bench-trend.ts";
import { plainLine } from "./plain-line.ts";
import { degenerateReports } from "./testing/degenerate-reports.ts";
import { emptyReport, hostileName, sampleReport, sampleSubjects } from "./testing/sample-report.ts";

const pointsOf = (report: Parameters<typeof benchTrend>[0]): readonly TrendPoint[] =>
  JSON.parse(benchTrend(report)) as readonly TrendPoint[];

it("benchTrend() has every ratio to the floor and to the plain store, and no time", () => {
  const report = sampleReport();
  const ratios = report.figures.flatMap(({ ratio, codecRatio }) => [ratio, codecRatio]);
  const values = ratios.flatMap((ratio) => (ratio === null ? [] : [ratio.estimate]));
  const points = pointsOf(report);
  expect(points.map(({ value }) => value)).toEqual(values);
  for (const { unit } of points) expect(unit).toMatch(/^× /);
  expect(points[0]).toMatchObject({
    name: "memory: W01 append 1",
    unit: "× JSON.stringify + push",
    range: "1.39 to 1.67",
    extra: "3.83 µs per append, 12 blocks",
  });
});

it("benchTrend() names each line of a chart once", () => {
  const names = pointsOf(sampleReport()).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it("benchTrend() gives names on one line, and no points where nothing compares", () => {
  const named = pointsOf(sampleReport([{ ...sampleSubjects[1]!, name: hostileName }]));
  for (const { name } of named) expect(name).toBe(plainLine(name));
  expect(pointsOf(emptyReport())).toEqual([]);
});

it.each(degenerateReports)("benchTrend() has only numbers: %s", (_name, report) => {
  for (const { value } of pointsOf(report)) expect(value).toEqual(expect.any(Number));
});
