import { describe, expect, it } from "vitest";
import { benchText } from "./bench-text.ts";
import { degenerateReports } from "./testing/degenerate-reports.ts";
import { emptyReport, hostileName, sampleReport, sampleSubjects } from "./testing/sample-report.ts";

const long = { ...sampleSubjects[2]!, name: `${hostileName} ${"long name ".repeat(20)}` };

describe("benchText()", () => {
  it("shows a store's time, its floor's, both ratios and the interval in a line", () => {
    const lines = benchText(sampleReport()).split("\n");
    const title = lines.indexOf("W01 append 1, per append");
    expect(lines[title + 4]).toMatch(
      /^ {2}sqlite, sealed +51\.6 µs +25\.7 µs +1\.95 +1\.82 to 2\.04 +1\.91$/,
    );
    expect(lines[title + 3]).toMatch(/^ {2}sqlite .* —$/);
  });

  it("ends columns where their heads end", () => {
    const lines = benchText(sampleReport()).split("\n");
    const head = lines.find((line) => line.includes("× floor"))!;
    const end = head.indexOf("× floor") + "× floor".length;
    const rows = lines.filter((line) => / to \d/.test(line) && line.startsWith("  sqlite"));
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) expect(row.slice(0, end)).toMatch(/\d$/);
  });

  it("has no column for codecs where none was measured", () => {
    expect(benchText(sampleReport())).toContain("× plain");
    expect(benchText(sampleReport(sampleSubjects.slice(0, 3)))).not.toContain("× plain");
  });

  it.each([
    ["the sample", sampleReport()],
    ["long names", sampleReport([long, ...sampleSubjects])],
    ["nothing", emptyReport()],
  ])("fits into 100 columns: %s", (_name, report) => {
    const widths = benchText(report)
      .split("\n")
      .map((line) => Array.from(line).length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  });

  it("sends nothing to a terminal that it would act on", () => {
    // oxlint-disable-next-line no-control-regex
    expect(benchText(sampleReport([long]))).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it("ends with what stands out, after everything that was left out", () => {
    const text = benchText(sampleReport());
    const [skipped, story] = [
      text.indexOf("left out: one object"),
      text.indexOf("memory appends at"),
    ];
    expect(skipped).toBeGreaterThan(0);
    expect(story).toBeGreaterThan(skipped);
    expect(benchText(emptyReport())).toMatch(/\n\nNothing was measured\n$/);
  });

  it.each(degenerateReports)("shows no number that is none: %s", (_name, report) => {
    expect(benchText(report)).not.toMatch(/NaN|Infinity|undefined|null/);
  });
});
