import { describe, expect, it } from "vitest";
import { benchJson, parseBenchReport } from "./bench-json.ts";
import { emptyReport, hostileName, sampleReport, sampleSubjects } from "./testing/sample-report.ts";

const report = sampleReport(sampleSubjects.slice(2, 4));

/** A report as JSON in which the value at a path is another one; nothing where it is undefined. */
function changed(path: ReadonlyArray<string | number>, value: unknown): string {
  const copy: unknown = structuredClone(report);
  let inside = copy as Record<string | number, unknown>;
  for (const name of path.slice(0, -1)) inside = inside[name] as Record<string | number, unknown>;
  inside[path.at(-1)!] = value;
  return JSON.stringify(copy);
}

function errorOf(json: string): TypeError {
  try {
    parseBenchReport(json);
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    expect((error as TypeError).message).not.toContain("\n");
    return error as TypeError;
  }
  throw new Error("it was read");
}

/** The path to every member, of arrays only to the first item. */
function pathsIn(value: unknown, path: readonly string[] = []): ReadonlyArray<readonly string[]> {
  if (typeof value !== "object" || value === null) return [];
  const names = Array.isArray(value) ? Object.keys(value).slice(0, 1) : Object.keys(value);
  return names.flatMap((name) => {
    const inside = (value as Record<string, unknown>)[name];
    return [[...path, name], ...pathsIn(inside, [...path, name])];
  });
}

function shown(path: readonly string[]): string {
  return path
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join("")
    .slice(1);
}

describe("parseBenchReport()", () => {
  it("reads what benchJson() wrote", () => {
    const named = sampleSubjects.map((one, index) => ({ ...one, name: `${hostileName}${index}` }));
    const unrelated = named.map(({ plain: _plain, ...one }) => one);
    for (const one of [report, emptyReport(), sampleReport(), sampleReport(unrelated)]) {
      expect(parseBenchReport(benchJson(one))).toEqual(one);
    }
  });

  it("keeps members that it does not know", () => {
    const more = { ...report, more: { than: "this" } };
    expect(parseBenchReport(JSON.stringify(more))).toEqual(more);
  });

  // A member that is whatever it is, and one that is not there, are how files of others look.
  const paths = pathsIn(report);
  it.each(paths.map((path) => [shown(path), path] as const))("looks at %s", (place, path) => {
    const wrong = errorOf(changed(path, true));
    expect(wrong.message).toMatch(/^Not a bench report: wanted .*, met true or false$/);
    expect(wrong.message).toContain(` at ${place}, `);
    if (path.at(-1) !== "0") {
      expect(errorOf(changed(path, undefined)).message).toMatch(/ at .*, met nothing$/);
    }
  });

  it("looks at every item of an array", () => {
    expect(paths.length).toBeGreaterThan(60);
    const path = ["figures", 7, "blocks", 3, "time"];
    expect(errorOf(changed(path, "1")).message).toBe(
      "Not a bench report: wanted a number at figures[7].blocks[3].time, met a string",
    );
  });

  it.each([
    ["", "wanted JSON, met an empty text"],
    [" \n", "wanted JSON, met an empty text"],
    ["{", "wanted JSON, met a text that is none"],
    ["null", "wanted an object, met null"],
    ["[]", "wanted an object, met an array"],
    ['"text"', "wanted an object, met a string"],
    ["{}", "wanted 1 at format, met nothing"],
    ['{"format":"1"}', "wanted 1 at format, met a string"],
    ['{"format":1}', "wanted a string at suite, met nothing"],
  ])("says what it met in place of a report: %j", (json, message) => {
    expect(errorOf(json).message).toBe(`Not a bench report: ${message}`);
  });

  it("tells a newer format from a broken one", () => {
    expect(errorOf(changed(["format"], 2)).message).toBe(
      "The bench report has format 2, wanted 1: a newer version of the kit reads it",
    );
  });

  it("repeats nothing of a file that is no report", () => {
    const secret = "-----BEGIN PRIVATE KEY-----";
    expect(errorOf(secret).message).not.toContain("PRIVATE");
    expect(errorOf(changed(["effort"], secret)).message).not.toContain("PRIVATE");
    expect(errorOf(changed(["figures", 0, "subject"], secret)).message).not.toContain("PRIVATE");
  });

  it("refuses numbers that JSON can write and a computer cannot hold", () => {
    const json = benchJson(report).replace('"milliseconds": 81340', '"milliseconds": 1e999');
    expect(errorOf(json).message).toContain("wanted a number at milliseconds, met Infinity");
  });

  it.each([
    ["a time below zero", ["figures", 0, "time", "median"], -1, "figures[0].time.median, met -1"],
    ["an unknown subject of a figure", ["figures", 1, "subject"], "x", "figures[1].subject"],
    ["an unknown subject of counters", ["counters", 0, "subject"], "x", "counters[0].subject"],
    ["an unknown plain subject", ["subjects", 0, "plain"], "x", "subjects[0].plain"],
    ["two subjects of one name", ["subjects", 1, "name"], "sqlite", "subjects[1].name"],
    ["two figures of one name", ["figures", 2, "id"], "W01", "figures[2].id"],
    ["an unknown counter", ["counters", 0, "counters", 0, "name"], "x", "counters[0].name"],
    ["percentiles that fall", ["figures", 0, "latencies", 0, "percentiles", 1], [0, 1], "[1]"],
    ["percentiles above 100", ["figures", 0, "latencies", 0, "percentiles", 12], [101, 1], "[12]"],
    ["a pair of three", ["figures", 0, "latencies", 0, "percentiles", 12], [100, 1, 1], "[12]"],
  ])("refuses %s", (_what, path, value, place) => {
    expect(errorOf(changed(path, value)).message).toContain(place);
  });
});
