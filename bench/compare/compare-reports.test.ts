import { describe, expect, it } from "vitest";
import type { BenchReport, Block, Counter, Figure } from "../bench-report.ts";
import { emptyReport, hostileName } from "../reports/testing/sample-report.ts";
import { seededRandom } from "../seeded-random.ts";
import { spreadOf } from "../statistics.ts";
import { compareReports } from "./compare-reports.ts";
import { comparisonMarkdown, comparisonText, comparisonVerdict } from "./comparison-report.ts";

/** A figure whose blocks wobble by a few percent; the floor takes 1 ms on a machine of speed 1. */
function figure(ratio: number, { id = "W01", speed = 1, floor = true, seed = 1 } = {}): Figure {
  const random = seededRandom(seed);
  const blocks: Block[] = Array.from({ length: 40 }, () => {
    const load = speed * (1 + random());
    const wobble = 1 + 0.05 * (random() - 0.5);
    return { time: load * ratio * wobble, floor: floor ? load : null, plain: null };
  });
  const time = spreadOf(blocks.map((block) => block.time));
  return {
    id,
    workload: id,
    title: "append 1",
    subject: "sqlite",
    per: "append",
    blocks,
    time,
    floor: floor ? { name: "a bare transaction", time } : null,
    ratio: null,
    codecRatio: null,
    latencies: [],
    growth: [],
    details: [],
  };
}

function report(figures: readonly Figure[], counters: readonly Counter[] = []): BenchReport {
  const set = { subject: "sqlite", batch: 1, countedBy: "strace", counters };
  return { ...emptyReport(), figures, counters: counters.length === 0 ? [] : [set] };
}

const verdictsOf = (base: Figure, next: Figure): readonly string[] =>
  compareReports(report([base]), report([next])).figures.map(({ verdict }) => verdict);

describe("compareReports", () => {
  it("is red for a figure that became slower beside its floor", () => {
    const comparison = compareReports(report([figure(1.1)]), report([figure(1.4, { seed: 2 })]));
    expect(comparison).toMatchObject({ isRed: true, threshold: 0.1 });
    const [compared] = comparison.figures;
    expect(compared).toMatchObject({ verdict: "slower", by: "ratio to floor", isRed: true });
    expect(compared?.change.estimate).toBeCloseTo(1.4 / 1.1, 1);
  });

  it("lets a slower machine cancel out", () => {
    expect(verdictsOf(figure(1.1), figure(1.1, { speed: 3, seed: 2 }))).toEqual(["same"]);
  });

  it("tells faster from same, and goes by its threshold", () => {
    expect(verdictsOf(figure(1.4), figure(1.1, { seed: 2 }))).toEqual(["faster"]);
    const [base, next] = [report([figure(1)]), report([figure(1.4, { seed: 2 })])];
    expect(compareReports(base, next, { threshold: 1 }).figures[0]?.verdict).toBe("same");
  });

  it("is never red for what has no floor, and says that time was compared", () => {
    const sides = [figure(1, { floor: false }), figure(3, { floor: false, seed: 2 })] as const;
    const comparison = compareReports(report([sides[0]]), report([sides[1]]));
    expect(comparison).toMatchObject({ isRed: false });
    expect(comparison.figures).toMatchObject([{ by: "time", verdict: "slower", isRed: false }]);
    expect(comparisonText(comparison)).toContain("slower (by time: no floor)");
  });

  it("compares counts exactly: more is red, fewer is told, unknown is neither", () => {
    const base: Counter[] = [
      { name: "syncs", value: 1 },
      { name: "writes", value: 4 },
      { name: "statements", value: null },
      { name: "transactions", value: 1 },
    ];
    const next: Counter[] = [
      { name: "syncs", value: 1.02 },
      { name: "writes", value: 3 },
      { name: "statements", value: 7 },
      { name: "transactions", value: 1 },
    ];
    const comparison = compareReports(report([], base), report([], next));
    const verdicts = Object.fromEntries(comparison.counters.map((one) => [one.name, one.verdict]));
    expect(verdicts).toEqual({
      syncs: "more",
      writes: "fewer",
      statements: "not comparable",
      transactions: "equal",
    });
    expect(comparison.isRed).toBe(true);
    expect(comparisonVerdict(comparison)).toBe("red: 1 count higher");
    const fewer = compareReports(report([], next), report([], base));
    expect(fewer.counters.find(({ name }) => name === "syncs")?.isRed).toBe(false);
  });

  it("compares bytes only where the same events were appended", () => {
    const counters: Counter[] = [{ name: "writtenBytes", value: 100 }];
    const more: Counter[] = [{ name: "writtenBytes", value: 200 }];
    const other = { ...report([], more), seed: 99 };
    expect(compareReports(report([], counters), report([], more)).isRed).toBe(true);
    const comparison = compareReports(report([], counters), other);
    expect(comparison.counters[0]?.verdict).toBe("not comparable");
    expect(comparison.warnings).toContain("the events differ, so that bytes are not compared");
  });

  it("lists what one report alone has, and what differs around them", () => {
    const base = report([figure(1)]);
    const next = report([figure(1, { id: "W03" })]);
    const environment = { ...next.environment, node: "99.0.0" };
    const comparison = compareReports(base, { ...next, environment });
    expect(comparison).toMatchObject({
      isRed: false,
      figures: [],
      missing: ["sqlite: W01 append 1"],
      added: ["sqlite: W03 append 1"],
    });
    expect(comparison.warnings.join()).toMatch(/^Node was .*, and is 99\.0\.0$/);
  });

  it("prints names that would break a table as text", () => {
    const hostile = { ...figure(1), subject: hostileName };
    const comparison = compareReports(report([hostile]), report([hostile]));
    const markdown = comparisonMarkdown(comparison);
    expect(markdown).not.toContain("<script>");
    const row = markdown.split("\n").find((line) => line.includes("W01")) ?? "";
    expect(row.replaceAll(String.raw`\|`, "").split("|")).toHaveLength(9);
    expect(comparisonText(comparison)).not.toContain("\u001b");
  });
});
