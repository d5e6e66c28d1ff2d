import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { BenchReport } from "../../bench/bench-report.ts";
import type { Comparison } from "../../bench/compare/comparison.ts";
import { benchJson } from "../../bench/reports/bench-json.ts";
import { sampleReport } from "../../bench/reports/testing/sample-report.ts";
import { capturedRun } from "../testing/captured-run.ts";

const folder = mkdtempSync(join(tmpdir(), "ckpt-compare-"));
const path = (name: string): string => join(folder, name);

afterAll(() => rmSync(folder, { recursive: true }));

const base = sampleReport();
write("base.json", base);
write("slower.json", slowed(base, 1.5));
write("faster.json", slowed(base, 0.5));

function write(name: string, report: BenchReport): void {
  writeFileSync(path(name), benchJson(report));
}

/** The same run, with every time but those of the floors multiplied. */
function slowed(report: BenchReport, factor: number): BenchReport {
  const figures = report.figures.map((figure) => ({
    ...figure,
    blocks: figure.blocks.map((block) => ({ ...block, time: block.time * factor })),
  }));
  return { ...report, figures };
}

const compare = (...words: readonly string[]): ReturnType<typeof capturedRun> =>
  capturedRun(["bench", "compare", path("base.json"), ...words]);

describe("ckpt bench compare", () => {
  it("is green for the same report twice", async () => {
    const { code, out, errors } = await compare(path("base.json"));
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out).toMatch(/^green: /);
  });

  it("is red for a slower one, in text, Markdown and JSON", async () => {
    const { code, out, errors } = await compare(path("slower.json"), "--md", path("c.md"));
    expect(code).toBe(1);
    expect(out).toMatch(/^red: \d+ figures slower by more than 10 %/);
    expect(out).toContain("SLOWER");
    expect(errors).toMatch(/^ckpt: red: .*\n$/);
    expect(readFileSync(path("c.md"), "utf8")).toMatch(/^## Benchmarks red: /);
    const asJson = await compare(path("slower.json"), "--json");
    expect(JSON.parse(asJson.out) as Comparison).toMatchObject({ format: 1, isRed: true });
  });

  it("is green for a faster one, and for a slower one within the threshold", async () => {
    expect(await compare(path("faster.json"))).toMatchObject({ code: 0 });
    expect(await compare(path("slower.json"), "--threshold", "100%")).toMatchObject({ code: 0 });
  });

  it.each([
    ["absent.json", "no such file"],
    ["text.json", "wanted JSON"],
    ["other.json", "Not a bench report"],
    ["newer.json", "a newer version of the kit reads it"],
  ])("exits with 2 for %s", async (name, message) => {
    writeFileSync(path("text.json"), "text");
    writeFileSync(path("other.json"), "{}");
    writeFileSync(path("newer.json"), JSON.stringify({ ...base, format: 2 }));
    const { code, out, errors } = await compare(path(name));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(errors).toContain(message);
  });
});
