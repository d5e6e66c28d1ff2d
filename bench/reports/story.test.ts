import { describe, expect, it } from "vitest";
import type { BenchReport, Interval } from "../bench-report.ts";
import { storyOf } from "./story.ts";
import { emptyReport, sampleReport, sampleSubjects } from "./testing/sample-report.ts";

function sentenceOf(report: BenchReport, about: string): string | undefined {
  return storyOf(report).findings.find((one) => one.about === about)?.sentence;
}

const sample = sampleReport();

/** The sample with another ratio in every figure of a workload. */
function withRatio(workload: string, ratio: Interval): BenchReport {
  const figures = sample.figures.map((figure) =>
    figure.workload === workload ? { ...figure, ratio } : figure,
  );
  return { ...sample, figures };
}

describe("storyOf()", () => {
  it("begins with the appends of plain stores beside their floors", () => {
    expect(storyOf(sample).headline).toBe(
      "memory appends at 1.54 × JSON.stringify + push; file at 1.18 × write + fdatasync; " +
        "sqlite at 0.97 × a bare transaction",
    );
    const other = withRatio("W01", { estimate: 7.25, low: 7, high: 8 });
    expect(storyOf(other).headline).toContain("sqlite at 7.25 × a bare transaction");
  });

  it("tells an interval that says little with its ends, and how many there are", () => {
    expect(sentenceOf(sample, "certainty")).toBeUndefined();
    const noisy = withRatio("W01", { estimate: 30, low: 0.79, high: 79.4 });
    expect(storyOf(noisy).headline).toContain("sqlite at 30.0 × (0.79 to 79.4) a bare transaction");
    expect(sentenceOf(noisy, "certainty")).toBe(
      "the intervals of 5 of 63 ratios span more than a factor of 2; the load was 1.25 on 2 cores",
    );
  });

  it("names the work, where there are no appends", () => {
    const figures = sample.figures.filter(({ id }) => id === "W07");
    expect(storyOf({ ...sample, figures }).headline).toMatch(
      /^read 10,000 events: memory at [\d.]+ × JSON\.stringify \+ push; file at /,
    );
  });

  it("names the best and the worst of many stores", () => {
    const many = [1, 2, 3, 4, 5].map((append) => {
      return { ...sampleSubjects[2]!, name: `s${append}`, append, bare: 1 };
    });
    expect(storyOf(sampleReport(many)).headline).toMatch(
      /^append 1: from [\d.]+ × on s1 to [\d.]+ × on s5, of 5 stores$/,
    );
  });

  it("names the worst figure of all, wherever it is", () => {
    const figures = sample.figures.map((figure) =>
      figure.id === "W03" && figure.subject === "file"
        ? { ...figure, ratio: { estimate: 99, low: 98, high: 100 } }
        : figure,
    );
    expect(sentenceOf({ ...sample, figures }, "beside the floor")).toBe(
      "21 figures from 0.69 × on sqlite (8 writers on sessions of their own) " +
        "to 99.0 × on file (append with an expected head)",
    );
  });

  it("calls a cost flat only if no store's grows", () => {
    const about = "append behind 100,000 events";
    expect(sentenceOf(sample, about)).toMatch(/: flat$/);
    const figures = sample.figures.map((figure) => {
      const [first, ...more] = figure.subject === "file" ? figure.growth : [];
      if (first === undefined) return figure;
      const { median, ...spread } = first.milliseconds;
      const grown = { ...first, milliseconds: { ...spread, median: median / 2 } };
      return { ...figure, growth: [grown, ...more] };
    });
    expect(sentenceOf({ ...sample, figures }, about)).not.toContain("flat");
  });

  it("tells the tail under the highest planned load", () => {
    expect(sentenceOf(sample, "tail")).toMatch(
      /^80 % of capacity: p99\.9 is .* on memory, .* on file and .* on sqlite, from the intended/,
    );
  });

  it("tells what codecs cost in time and in bytes", () => {
    expect(sentenceOf(sample, "codecs")).toBe(
      "beside the plain store, append 1 takes 1.91 × on sqlite, sealed and 3.32 × on sqlite, " +
        "compress + aes-gcm; bytes on disk 1.06 × on sqlite, sealed and 0.64 × on sqlite, compress + aes-gcm",
    );
  });

  it("tells what one append does", () => {
    expect(sentenceOf(sample, "one append costs")).toBe(
      "1 sync, 1 write and 1.19 kB of disk on file; 1 write, 1 transaction and 1.10 kB of disk on sqlite",
    );
  });

  it("makes nothing up where nothing was measured, or nothing compares", () => {
    expect(storyOf(emptyReport())).toEqual({ headline: "Nothing was measured", findings: [] });
    const figures = sample.figures.map((figure) => ({ ...figure, floor: null, ratio: null }));
    expect(storyOf({ ...sample, figures }).headline).toBe(
      "5 stores, and no bare operation to compare with",
    );
  });
});
