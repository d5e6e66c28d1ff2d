import { describe, expect, it } from "vitest";
import { benchMarkdown } from "./bench-markdown.ts";
import {
  formatAmount,
  formatCount,
  formatInterval,
  formatRatio,
  formatTime,
} from "./format-number.ts";
import { degenerateReports } from "./testing/degenerate-reports.ts";
import { emptyReport, hostileName, sampleReport, sampleSubjects } from "./testing/sample-report.ts";

const hostile = sampleReport([{ ...sampleSubjects[1]!, name: hostileName }, ...sampleSubjects]);

/** The cells of each table, split where a renderer splits. */
function tablesOf(markdown: string): ReadonlyArray<ReadonlyArray<readonly string[]>> {
  return markdown
    .split("\n\n")
    .filter((part) => part.startsWith("| "))
    .map((table) => {
      const lines = table.trimEnd().split("\n");
      return lines.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
    });
}

describe("benchMarkdown()", () => {
  it("has every time, ratio, counter, latency and detail", () => {
    const report = sampleReport();
    const cells = tablesOf(benchMarkdown(report)).flat(2).join("\n");
    for (const { time, floor, ratio, codecRatio, latencies, growth, details } of report.figures) {
      expect(cells).toContain(formatTime(time.median));
      if (floor !== null) expect(cells).toContain(formatTime(floor.time.median));
      for (const one of [ratio, codecRatio]) {
        if (one === null) continue;
        expect(cells).toContain(formatRatio(one.estimate));
        expect(cells).toContain(formatInterval(one));
      }
      for (const { percentiles } of latencies) {
        for (const [percentile, milliseconds] of percentiles) {
          if (![50, 99, 99.9].includes(percentile)) continue;
          expect(cells).toContain(formatTime(milliseconds));
        }
      }
      for (const point of growth) expect(cells).toContain(formatTime(point.milliseconds.median));
      for (const { value, unit } of details)
        expect(cells).toContain(`${formatAmount(value)} ${unit}`);
    }
    for (const { counters } of report.counters) {
      for (const { value } of counters) expect(cells).toContain(formatCount(value));
    }
  });

  it("keeps what a name says inside its cell, and out of the page", () => {
    const markdown = benchMarkdown(hostile);
    for (const [head, ...rows] of tablesOf(markdown)) {
      expect(new Set(rows.map((row) => row.length))).toEqual(new Set([head!.length]));
    }
    expect(markdown).not.toMatch(/(?<!\\)<|(?<!\\)\*_\[/);
    expect(markdown).not.toContain("\u001b");
    expect(markdown).not.toContain("\u202e");
    expect(markdown).toContain(String.raw`a\|b \<script\>alert('1')\</script\>`);
  });

  it("says why a dash stands where a ratio would", () => {
    expect(benchMarkdown(sampleReport())).toContain(
      "— × plain: is the plain one itself; × floor: nothing compares.",
    );
  });

  it("says what was left out and why", () => {
    expect(benchMarkdown(sampleReport())).toContain(
      "### Left out\n\n- one object is all there is (memory: W06, W14, W15)\n",
    );
  });

  it("has no tables where nothing was measured", () => {
    const markdown = benchMarkdown(emptyReport());
    expect(markdown).toMatch(/^## Nothing was measured\n\nNode v20/);
    expect(markdown).not.toMatch(/\||###|\n{3}/);
  });

  it.each(degenerateReports)("shows no number that is none: %s", (_name, report) => {
    expect(benchMarkdown(report)).not.toMatch(/NaN|Infinity|undefined|null/);
  });

  it("fits into a comment with twelve stores", () => {
    const twelve = Array.from({ length: 12 }, (_, index) => {
      return { ...sampleSubjects[2]!, name: `sqlite on a disk called ${index}` };
    });
    expect(benchMarkdown(sampleReport(twelve)).length).toBeLessThan(65_536);
  });
});
