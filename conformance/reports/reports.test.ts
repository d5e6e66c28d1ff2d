import { describe, expect, it } from "vitest";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import packageManifest from "../../package.json" with { type: "json" };
import type { EventObject } from "../../src/index.ts";
import { properties } from "../properties/index.ts";
import type { Level } from "../property.ts";
import { createReport, type Report } from "../report.ts";
import type { PropertyResult } from "../run-property.ts";
import { reportBadge } from "./report-badge.ts";
import { reportJson, type ReportDocument } from "./report-json.ts";
import { reportJunit } from "./report-junit.ts";
import { reportMarkdown } from "./report-markdown.ts";
import { reportText } from "./report-text.ts";
import { parseXml, type XmlElement } from "./testing/parse-xml.ts";

/** Everything that a store may put into a message to break a report. */
const hostile =
  "wanted <b>\"1\" & '2'</b> | met ]]> `3`\n```\n\u0000\u001b[31m\ud800\ufffe</failure>";

const manifest = { ...memoryCheckpointer<EventObject>().capabilities };
const [first, second, third] = properties.map(({ id }) => id) as [string, string, string];

function resultOf(id: string, rest: Partial<PropertyResult> = {}): PropertyResult {
  return {
    id,
    outcome: "pass",
    message: "",
    blocks: false,
    failedCase: null,
    cases: 1,
    skippedCases: [],
    assertions: 1_000,
    seed: 7,
    replay: null,
    notes: [],
    milliseconds: 1_500,
    ...rest,
  };
}

/** A report in which every property holds that `changed` says nothing about. */
function reportOf(
  changed: Readonly<Record<string, Partial<PropertyResult>>> = {},
  parts: { readonly level?: Level | null; readonly untested?: readonly string[] } = {},
): Report {
  const { level = "L2", untested = [] } = parts;
  const results = properties
    .filter((one) => one.level === "L1" || one.level === "L2")
    .map(({ id }) => resultOf(id, changed[id]));
  const budget = { seed: 7, effort: 1 };
  const rest = { manifest, untested, level, budget, results, milliseconds: 61_234 };
  return createReport({ name: "my store", ...rest });
}

const failed = {
  outcome: "fail",
  message: hostile,
  failedCase: "append() | fails",
  replay: { path: "3:1", replayPath: "AB:F" },
} as const;
const skipped = { outcome: "skip", message: "fork is not claimed" } as const;
const broken = reportOf({ [first]: failed, [second]: skipped, [third]: skipped });

describe("reportText()", () => {
  it("begins with the level, and says what stands above it", () => {
    const [title, figures, , obstacle] = reportText(reportOf()).split("\n");
    expect(title).toMatch(/^my store: L2 · truncate, range/);
    const { length } = reportOf().results;
    const assertions = (length * 1_000).toLocaleString("en-US");
    expect(figures).toBe(
      `  ${length} held, 0 failed, 0 skipped; ${assertions} assertions in 61.2 s`,
    );
    expect(obstacle).toBe("  not L3: durability is claimed to be none");
  });

  it("tells each failure with its case and the command that shows it again", () => {
    const text = reportText(broken, { fixture: "./my.js" });
    expect(text).toMatch(/^my store: not certified\n/);
    expect(text).toContain(`  not L1: failed: ${first}\n`);
    expect(text).toContain(`\nFAIL  ${first} `);
    expect(text).toContain("\n  append() | fails\n    wanted <b>");
    expect(text).toContain(
      `\n  ckpt certify ./my.js --property ${first} --seed 7 --path 3:1 --replay-path AB:F\n`,
    );
  });

  it("gives every skip with its reason, those of single cases too, and every figure", () => {
    const notes = ["34 kills"];
    const skippedCases = [{ name: "x", reason: "the fixture cannot block writers" }];
    const text = reportText(
      reportOf({ [first]: skipped, [second]: skipped, [third]: { notes, skippedCases } }),
    );
    expect(text).toContain(`\nskip  fork is not claimed: ${first}, ${second}\n`);
    expect(text).toContain(`\nskip in part  the fixture cannot block writers: ${third}\n`);
    expect(text).toContain(`\nnote  ${third}: 34 kills\n`);
  });

  it("cuts a long message and says so", () => {
    const message = Array.from({ length: 20 }, (_, line) => `line ${line}`).join("\n");
    const text = reportText(reportOf({ [first]: { ...failed, message } }));
    expect(text).toContain("    line 7\n    … 12 more lines\n");
    expect(text).not.toContain("line 8");
  });

  it("names what keeps a store from the next level, skips that block included", () => {
    const reason = "the fixture has no processModule";
    const id = properties.find(({ level, advisory }) => level === "L2" && advisory !== true)!.id;
    const blocked = reportOf({ [id]: { outcome: "skip", message: reason, blocks: true } });
    expect(blocked.level).toBe("L1");
    expect(reportText(blocked)).toContain(`  not L2: ${reason}: ${id}\n`);
    const low = reportText(reportOf({}, { level: "L1" }));
    expect(low).toContain("  not L2: it was not asked for\n");
  });
});

describe("reportJson()", () => {
  it("is the report, and what the catalogue says about each property", () => {
    const parsed = JSON.parse(reportJson(broken)) as ReportDocument;
    const { results, ...rest } = parsed;
    expect(rest).toEqual({ ...JSON.parse(JSON.stringify(broken)), results: undefined, format: 1 });
    expect(parsed.suite).toBe(packageManifest.version);
    const [property] = properties;
    const { group, level, statement } = property!;
    expect(results[0]).toMatchObject({ ...failed, id: first, group, level, statement });
  });
});

describe("reportJunit()", () => {
  const root = parseXml(reportJunit(broken));
  const tests = root.children.flatMap((suite) => suite.children.filter(isNamed("testcase")));

  it("has a suite for each group and a test for each property", () => {
    const groups = [...new Set(properties.map(({ group }) => group))];
    const names = root.children.map(({ attributes }) => attributes["name"]!);
    expect(names).toEqual(groups.filter((group) => names.includes(group)));
    expect(tests).toHaveLength(broken.results.length);
    expect(tests[0]!.attributes).toMatchObject({
      name: `${first} ${properties[0]!.statement}`,
      time: "1.500",
    });
  });

  it("counts what is in it", () => {
    for (const suite of [root, ...root.children]) {
      const inside = suite === root ? tests : suite.children.filter(isNamed("testcase"));
      const count = (name: string): string =>
        String(inside.filter(({ children }) => children.some(isNamed(name))).length);
      expect(suite.attributes).toMatchObject({
        tests: String(inside.length),
        failures: count("failure"),
        errors: count("error"),
        skipped: count("skipped"),
      });
    }
  });

  it("gives reasons for skips and failures, whatever characters are in them", () => {
    const [failure, skip] = [tests[0]!.children[0]!, tests[1]!.children[0]!];
    expect(skip).toMatchObject({ name: "skipped", attributes: { message: "fork is not claimed" } });
    expect(failure.text).toContain(`wanted <b>"1" & '2'</b> | met ]]> \`3\`\n`);
    expect(failure.text).toContain(String.raw`\u0000\u001b[31m\ud800\ufffe</failure>`);
  });
});

describe("reportMarkdown()", () => {
  const text = reportMarkdown(broken, { fixture: "./my.js" });

  it("has a row for each group, whose counts add up", () => {
    const rows = [...text.matchAll(/^\| ([\w ]+) \| (\d+) \| (\d+) \| (\d+) \|$/gm)];
    const sum = (column: number): number =>
      rows.reduce((total, row) => total + Number(row[column]), 0);
    expect([sum(2), sum(3), sum(4)]).toEqual([broken.results.length - 3, 1, 2]);
  });

  it("keeps what a store says inside its fence, and out of the page", () => {
    const outside = text.replace(/^(`{3,})\w*\n[^]*?\n\1$/gm, "");
    expect(outside).not.toMatch(/<b>|<\/failure>/);
    expect(outside).toContain(String.raw`append() \| fails`);
    expect(text).toContain(`\`\`\`sh\nckpt certify ./my.js --property ${first}`);
    expect(text).toContain(`- fork is not claimed (${second}, ${third})`);
  });
});

describe("reportBadge()", () => {
  const textsOf = ({ children }: XmlElement): string[] =>
    children.flatMap((child) => (child.name === "text" ? [child.text] : textsOf(child)));

  it("shows the suite's minor version, the level and the capabilities", () => {
    const svg = parseXml(reportBadge(reportOf()));
    const minor = packageManifest.version.split(".").slice(0, 2).join(".");
    expect(textsOf(svg)).toEqual([
      `conformance ${minor}`,
      expect.stringMatching(/^L2 · truncate, range, .*verify$/),
    ]);
  });

  it("can be read by a screen reader, and stands alone", () => {
    const badge = reportBadge({ ...reportOf(), name: "<script>" });
    const svg = parseXml(badge);
    expect(svg.attributes["role"]).toBe("img");
    expect(svg.children[0]).toMatchObject({ name: "title", text: svg.attributes["aria-label"] });
    expect(svg.children[0]!.text).toMatch(/^<script>: conformance .*: L2/);
    expect(badge.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:|<script/);
  });

  it("does not look like a pass when something failed", () => {
    const fills = (report: Report): string[] => reportBadge(report).match(/fill="#\w+"/g) ?? [];
    expect(fills(broken)).not.toEqual(fills(reportOf()));
    expect(reportBadge(broken)).toContain(">not certified</text>");
    expect(reportBadge(reportOf({}, { level: null }))).toContain(">no level</text>");
  });

  it("is as wide as its two halves, and no text is wider than its half", () => {
    const badge = reportBadge(reportOf());
    const widths = [...badge.matchAll(/<rect (?:x="\d+" )?width="(\d+)"/g)].map((one) =>
      Number(one[1]),
    );
    const lengths = [...badge.matchAll(/textLength="(\d+)"/g)].map((one) => Number(one[1]));
    expect(widths[0]).toBe(widths[1]! + widths[2]!);
    expect(lengths.every((length, index) => length < widths[index + 1]!)).toBe(true);
  });
});

function isNamed(name: string): (element: XmlElement) => boolean {
  return (element) => element.name === name;
}
