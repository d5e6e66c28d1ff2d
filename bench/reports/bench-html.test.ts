import { describe, expect, it } from "vitest";
import { parseXml, type XmlElement } from "../../conformance/reports/testing/parse-xml.ts";
import type { BenchReport } from "../bench-report.ts";
import { benchHtml } from "./bench-html.ts";
import {
  formatAmount,
  formatCount,
  formatInterval,
  formatRatio,
  formatTime,
} from "./format-number.ts";
import { plainLine } from "./plain-line.ts";
import { degenerateReports } from "./testing/degenerate-reports.ts";
import {
  emptyReport,
  hostileName,
  sampleReport,
  sampleSubjects,
  type SampleSubject,
} from "./testing/sample-report.ts";

const twelve = Array.from({ length: 12 }, (_, index): SampleSubject => {
  return { ...sampleSubjects[index % 5]!, name: `store ${index}` };
}).map(({ plain: _plain, ...subject }) => subject);

const reports: ReadonlyArray<readonly [string, BenchReport]> = [
  ["the sample", sampleReport()],
  ["one store", sampleReport(sampleSubjects.slice(1, 2))],
  ["twelve stores", sampleReport(twelve)],
  ["hostile names", sampleReport([{ ...sampleSubjects[1]!, name: hostileName }])],
  ["nothing", emptyReport()],
  ...degenerateReports,
];

function pageOf(report: BenchReport): XmlElement {
  return parseXml(benchHtml(report).replace("<!doctype html>\n", ""));
}

function elementsOf(element: XmlElement): readonly XmlElement[] {
  return [element, ...element.children.flatMap(elementsOf)];
}

function textOf(element: XmlElement): string {
  return [element.text, ...element.children.map(textOf)].join("\n");
}

describe("benchHtml()", () => {
  describe.each(reports)("with %s", (_name, report) => {
    const html = benchHtml(report);
    const all = elementsOf(pageOf(report));

    it("is well-formed, and has no script and nothing from elsewhere", () => {
      expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
      const names = new Set(all.map(({ name }) => name));
      for (const name of ["script", "link", "img", "iframe", "object", "use", "a", "image"]) {
        expect(names).not.toContain(name);
      }
      expect(html).not.toMatch(/https?:|\bsrc=|\bhref=|url\(|@import| on\w+="/);
    });

    it("shows no number that is none", () => {
      expect(html).not.toMatch(/NaN|Infinity|undefined|null/);
    });

    it("names every drawing and every table for those who hear it", () => {
      const ids = all.flatMap(({ attributes }) => attributes["id"] ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      const described = all.flatMap(({ attributes }) => attributes["aria-labelledby"] ?? []);
      for (const id of described.flatMap((list) => list.split(" "))) expect(ids).toContain(id);
      for (const { children } of all.filter(({ attributes }) => attributes["role"] === "img")) {
        expect(children.slice(0, 2).map(({ name }) => name)).toEqual(["title", "desc"]);
        expect(children[0]!.text.trim()).not.toBe("");
      }
      for (const { children } of all.filter(({ name }) => name === "table")) {
        expect(children[0]!.name).toBe("caption");
      }
    });

    it("has one first heading, and skips no level", () => {
      const levels = all.flatMap(({ name }) => /^h(\d)$/.exec(name)?.[1] ?? []).map(Number);
      expect(levels.filter((level) => level === 1)).toEqual([1]);
      for (const [index, level] of levels.entries()) {
        expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
      }
    });

    it("draws nothing outside its place", () => {
      const places = all
        .filter(({ name }) => ["line", "circle", "rect", "text"].includes(name))
        .flatMap(({ attributes }) => ["x", "x1", "x2", "cx"].map((name) => attributes[name]))
        .flatMap((place) => (place?.endsWith("%") === true ? [Number.parseFloat(place)] : []));
      for (const place of places) {
        expect(place).toBeGreaterThanOrEqual(0);
        expect(place).toBeLessThanOrEqual(100);
      }
    });
  });

  it("has every number of every figure in a table", () => {
    const report = sampleReport();
    const tables = elementsOf(pageOf(report)).filter(({ name }) => name === "table");
    const cells = tables.map(textOf).join("\n");
    for (const { time, floor, ratio, codecRatio, latencies, growth, details } of report.figures) {
      for (const one of [time, ...(floor === null ? [] : [floor.time])]) {
        expect(cells).toContain(formatTime(one.median));
      }
      expect(cells).toContain(`${formatTime(time.least)} to ${formatTime(time.most)}`);
      for (const one of [ratio, codecRatio]) {
        if (one === null) continue;
        expect(cells).toContain(formatRatio(one.estimate));
        expect(cells).toContain(formatInterval(one));
      }
      for (const { percentiles } of latencies) {
        for (const [, milliseconds] of percentiles)
          expect(cells).toContain(formatTime(milliseconds));
      }
      for (const { events, milliseconds } of growth) {
        expect(cells).toContain(formatCount(events));
        expect(cells).toContain(formatTime(milliseconds.median));
      }
      for (const { value, unit } of details)
        expect(cells).toContain(`${formatAmount(value)} ${unit}`);
    }
    for (const { value } of report.counters.flatMap(({ counters }) => counters)) {
      if (value !== null) expect(cells).toContain(formatCount(value));
    }
  });

  it("draws every ratio with its interval, and a curve for every distribution and growth", () => {
    const report = sampleReport();
    const all = elementsOf(pageOf(report));
    const ofClass = (name: string): number =>
      all.filter(({ attributes }) => attributes["class"]?.split(" ").includes(name)).length;
    const count = (of: (figure: BenchReport["figures"][number]) => number): number =>
      report.figures.reduce((sum, figure) => sum + of(figure), 0);
    const ratios = count(
      ({ ratio, codecRatio }) => Number(ratio !== null) + Number(codecRatio !== null),
    );
    expect(ofClass("whisker")).toBe(ratios);
    const curves = count(({ latencies, growth }) => latencies.length + Number(growth.length > 0));
    // A card has a short one beside its name.
    expect(ofClass("curve")).toBe(curves + report.subjects.length);
    expect(ofClass("bar")).toBe(report.subjects.length - 1);
    // Two of ratios to the floor, two of ratios to the plain store.
    expect(ofClass("forest")).toBe(4);
  });

  it("gives the latencies of one workload the same axis, and those of another one their own", () => {
    const figures = elementsOf(pageOf(sampleReport())).filter(({ name }) => name === "figure");
    const axesOf = (title: string): ReadonlySet<string> => {
      const own = figures.filter((figure) => textOf(figure).includes(title));
      expect(own.length).toBeGreaterThan(1);
      const ticks = own.map((figure) =>
        elementsOf(figure)
          .filter(({ attributes }) => attributes["class"] === "tick")
          .map(textOf)
          .filter((tick) => tick.endsWith("s"))
          .join(),
      );
      return new Set(ticks);
    };
    const [openLoop, mixed] = [
      axesOf("W12 open loop:"),
      axesOf("W13 80 % appends, 15 % resumes, 5 % lists:"),
    ];
    expect([openLoop.size, mixed.size]).toEqual([1, 1]);
    expect(openLoop).not.toEqual(mixed);
  });

  it("shows names as they are, but for what would change the page", () => {
    const page = pageOf(sampleReport([{ ...sampleSubjects[1]!, name: hostileName }]));
    const [card] = elementsOf(page).filter(({ attributes }) => attributes["class"] === "card");
    expect(textOf(card!)).toContain(plainLine(hostileName));
    expect(plainLine(hostileName)).toContain(
      "<script>alert('1')</script> & \"`*_[x](y) \\u001b[31m",
    );
  });

  it("says why there is a dash", () => {
    const missing = elementsOf(pageOf(sampleReport())).filter(
      ({ attributes }) => attributes["class"] === "missing",
    );
    expect(new Set(missing.map(({ attributes }) => attributes["title"]))).toEqual(
      new Set([
        "is the plain one itself",
        "nothing compares",
        "could not be seen",
        "each call waits for the one before it",
      ]),
    );
  });
});
