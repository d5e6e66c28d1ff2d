import { afterAll, describe, expect, it } from "vitest";
import { parseBenchReport } from "../../bench/reports/bench-json.ts";
import { fixtureFolder } from "../certify/testing/fixture-folder.ts";

const folder = fixtureFolder();
const { run: ckpt, addFixture, path } = folder;

afterAll(folder.remove);

/** Short enough for a test; what the figures say is nobody's business here. */
const short = ["--quick", "--duration", "20ms"];

describe("ckpt bench", () => {
  it("measures a store beside its floor and writes every report", async () => {
    const files = ["--report", "b.json", "--md", "b.md", "--html", "b.html", "--trend", "t.json"];
    const words = ["bench", "memory:", "--workload", "W01,W03", ...short, ...files];
    const { code, out, errors } = await ckpt(words);
    expect({ code, errors }).toEqual({ code: 0, errors: expect.stringMatching(/^1\/2 {2}W01 /) });
    expect(out).toMatch(/^W01 append 1, per event$/m);
    const report = parseBenchReport(folder.read("b.json"));
    expect(report.figures.map(({ id }) => id)).toEqual(["W01", "W03"]);
    expect(folder.read("b.md")).toContain("W03");
    expect(folder.read("b.html")).toContain("<svg");
    expect(JSON.parse(folder.read("t.json"))).toHaveLength(2);
    expect(folder.leftovers()).toEqual([]);
  });

  it("leaves the store that a spec names as it is, and measures beside it", async () => {
    await ckpt(["--store", "sqlite:mine.db", "import", addEvents()]);
    const before = folder.read("mine.db");
    const words = ["bench", "sqlite:mine.db", "--workload", "W01", ...short, "--json"];
    const { code, out } = await ckpt(words);
    expect(code).toBe(0);
    expect(parseBenchReport(out).subjects.map(({ name }) => name)).toEqual(["sqlite"]);
    expect(folder.read("mine.db")).toBe(before);
    expect(folder.leftovers()).toEqual([]);
  });

  it("measures codecs beside the plain store", async () => {
    const words = ["bench", "file:", "--durability", "process", "--pipeline", "plain,sealed"];
    const { code, out } = await ckpt([...words, "--workload", "W01", ...short, "--json"]);
    expect(code).toBe(0);
    const { subjects, figures } = parseBenchReport(out);
    expect(subjects.map(({ name, plain, durability }) => [name, plain, durability])).toEqual([
      ["file, process", null, "process"],
      ["file, process, sealed", "file, process", "process"],
    ]);
    expect(figures[1]?.codecRatio?.estimate).toBeGreaterThan(0);
  });

  it("measures a store of somebody else, and appends the records of a transcript", async () => {
    const fixture = addFixture("mine.js", "(handle) => handle");
    const words = ["bench", fixture, "--workload", "W01", "--input", addEvents(), ...short];
    const { code, out } = await ckpt([...words, "--json"]);
    expect(code).toBe(0);
    const { subjects, input } = parseBenchReport(out);
    expect(subjects.map(({ name }) => name)).toEqual(["wrapped"]);
    expect(input).toMatchObject({ name: "events.jsonl", events: 3 });
  });

  it.each([
    [["bench", "nowhere.js"], "No fixture at"],
    [["bench", "sqlite:no/such/folder/b.db"], "there is no such folder"],
    [["bench", "memory:", "--workload", "W99"], 'met "W99"'],
    [["bench", "memory:", "--duration", "soon"], "Wanted a duration"],
    [["bench", "memory:", "--md", "no/such/folder/b.md"], "there is no such folder"],
    [["bench", "memory:", "--input", "nothing.jsonl"], "Cannot read"],
    [["bench", "memory:", "memory:", "--workload", "W01"], 'met "memory" twice'],
  ])("%j ends with one line and exit code 2", async (words, problem) => {
    const { code, out, errors } = await ckpt(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(errors).toMatch(/^ckpt: .*\n$/);
    expect(errors).toContain(problem);
    expect(folder.leftovers()).toEqual([]);
  });

  it("ends with one line and exit code 2 when a store fails, and removes what it made", async () => {
    const broken = `(handle) => ({ ...handle, append: async () => { throw new Error("disk full"); } })`;
    const { code, errors } = await ckpt(["bench", addFixture("full.js", broken), "--quick"]);
    expect(code).toBe(2);
    expect(errors).toMatch(/\nckpt: Cannot measure: disk full\n$/);
    expect(folder.leftovers()).toEqual([]);
  });
});

function addEvents(): string {
  folder.write("events.jsonl", '{"n":1}\n{"n":2}\n{"n":3}\n');
  return path("events.jsonl");
}
