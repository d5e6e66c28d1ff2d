import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { GateReport } from "../../bench/gate/gate-report.ts";
import { fixtureFolder } from "../certify/testing/fixture-folder.ts";

const folder = fixtureFolder();
const { run: ckpt, addFixture, write, path } = folder;

afterAll(folder.remove);
afterEach(() => expect(folder.leftovers()).toEqual([]));

/** As short as can be; what is compared differs by far more than a busy machine could make up. */
const short = ["--workload", "W01", "--duration", "20ms", "--block", "1ms", "--pairs", "8"];

/** Appends that wait, so that both sides take about the same whatever the machine does. */
const slow = (milliseconds: number): string => `(handle) => ({ ...handle, async append(...words) {
  writeFileSync(dir + "/pid", String(process.pid));
  await new Promise((resolve) => setTimeout(resolve, ${milliseconds}));
  return handle.append(...words);
} })`;

const fast = addFixture("fast.js");
const kit = fileURLToPath(new URL("../../", import.meta.url));

function gate(
  baseline: string,
  against: string,
  ...words: readonly string[]
): ReturnType<typeof ckpt> {
  const sides = ["--baseline", baseline, "--against", against];
  return ckpt(["bench", "gate", ...sides, ...short, ...words]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("ckpt bench gate", () => {
  it("is green for the same code twice, and writes its reports", async () => {
    const side = addFixture("same.js", slow(2));
    const files = ["--report", "g.json", "--md", "g.md"];
    // No machine makes the same code eleven times as slow, twice.
    const { code, out, errors } = await gate(side, side, "--threshold", "1000%", ...files);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out).toMatch(/^green: nothing proved slower by more than 1,000 %/);
    const report = JSON.parse(folder.read("g.json")) as GateReport;
    expect(report).toMatchObject({ format: 1, isRed: false, store: null, skipped: [] });
    expect(report.figures.map(({ id, cost }) => `${id} ${cost}`)).toContain("W01 time");
    expect(report.figures[0]?.run.pairs.length).toBeGreaterThanOrEqual(8);
    expect(folder.read("g.md")).toMatch(/^## Gate green: /);
    expect(isAlive(Number(folder.read("pid")))).toBe(false);
  });

  it("is red for a side that is slower, after a second run", async () => {
    const { code, out, errors } = await gate(fast, addFixture("slow.js", slow(20)), "--json");
    expect(code).toBe(1);
    expect(errors).toBe("ckpt: red: W01 slower by more than 10 %, in two runs\n");
    const report = JSON.parse(out) as GateReport;
    const time = report.figures.find(({ cost }) => cost === "time");
    expect(time).toMatchObject({ isRed: true, verdict: "slower", isGated: true });
    expect(time?.run.change.low).toBeGreaterThan(1.1);
    expect(time?.confirmation?.change.low).toBeGreaterThan(1.1);
  });

  it("is green for a side that is faster", async () => {
    const { code, out } = await gate(addFixture("slow.js", slow(20)), fast);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("faster") });
  });

  it("reports what is not gated, and is never red for it", async () => {
    const side = addFixture("slow.js", slow(20));
    const { code, out } = await gate(fast, side, "--workload", "W03");
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/slower \(not gated\)/),
    });
  });

  it("measures packed packages of the kit, each with its own code", async () => {
    addPackage("old", "");
    addPackage("new", "await new Promise((resolve) => setTimeout(resolve, 20));");
    const { code, out, errors } = await gate(
      "old-1.0.0.tgz",
      "new-1.0.0.tgz",
      "--store",
      "memory:",
    );
    expect({ code, errors }).toMatchObject({ code: 1 });
    expect(out).toMatch(/new-1\.0\.0\.tgz against old-1\.0\.0\.tgz on memory/);
  });

  it("measures the store of a package that --store names, in its folder, and leaves nothing there", async () => {
    mkdirSync(path("place"), { recursive: true });
    const words = ["--store", "sqlite:./place", "--threshold", "1000%"];
    const { code, out, errors } = await gate(kit, kit, ...words);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out).toContain(" on sqlite; ");
    expect(readdirSync(path("place"))).toEqual([]);
  });

  it("exits with 2 when a package has no such store", async () => {
    addPackage("one", "");
    const { code, errors } = await gate("one", "one", "--store", "sqlite:");
    expect(code).toBe(2);
    expect(errors).toMatch(/^ckpt: The baseline side is unusable: .*sqlite.*\n$/);
  });

  it("exits with 2 in one line when a side cannot be loaded", async () => {
    write("broken.js", `throw new Error("no driver for db://me:secret@host");`);
    const { code, out, errors } = await gate(fast, "./broken.js");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(errors).toMatch(/^ckpt: The against side is unusable: .*no driver for db:.*\n$/);
    expect(errors).not.toContain("secret");
  });

  it("exits with 2 when a side crashes, and says how", async () => {
    const wrap = `(handle) => ({ ...handle, append() {
      setImmediate(() => { throw new Error("out of luck"); });
      return new Promise(() => undefined);
    } })`;
    const { code, errors } = await gate(addFixture("crash.js", wrap), fast);
    expect(code).toBe(2);
    expect(errors).toBe(
      "ckpt: The baseline side is unusable: its process ended with 1: Error: out of luck\n",
    );
  });

  it("exits with 2 when a side spins, and ends the process that spins", async () => {
    const wrap = `(handle) => ({ ...handle, append() {
      writeFileSync(dir + "/pid", String(process.pid));
      for (;;);
    } })`;
    const { code, errors } = await gate(fast, addFixture("spins.js", wrap), "--patience", "1");
    expect(code).toBe(2);
    expect(errors).toBe("ckpt: The against side is unusable: no answer after 1 s\n");
    expect(isAlive(Number(folder.read("pid")))).toBe(false);
  });

  it("exits with 2 when nothing could be measured", async () => {
    const wrap = `({ truncate, ...handle }) => {
      const capabilities = Object.freeze({ ...handle.capabilities, truncate: false });
      return { ...handle, capabilities };
    }`;
    const side = addFixture("minimal.js", wrap);
    const { code, errors } = await gate(side, side, "--workload", "W10/truncate");
    expect(code).toBe(2);
    expect(errors).toContain(
      "Nothing could be measured: W10/truncate: baseline: truncate is not claimed",
    );
  });

  it.each([
    [["./absent.js"], 'there is no "./absent.js"'],
    [["./text.txt"], '"./text.txt" is none'],
    [["./empty.tgz"], "npm cannot install it"],
    [["./place"], "no package.json with a name and exports"],
    [["./fast.js", "--store", "memory:"], "--store is for packages"],
    [["./fast.js", "--workload", "W99"], "Wanted some of W01"],
    [["./fast.js", "--pairs", "2"], "Wanted a whole number from 8"],
    [["./fast.js", "--block", "0ms"], "Wanted a duration"],
    [["./fast.js", "--md", "./absent/g.md"], "there is no such folder"],
  ])("exits with 2 for %j", async ([side = "", ...words], message) => {
    write("text.txt", "text");
    write("empty.tgz", "");
    mkdirSync(path("place"), { recursive: true });
    const { code, out, errors } = await gate(side, side, ...words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(errors).toContain(message);
    expect(errors.trimEnd()).not.toContain("\n");
  });

  it("ends both sides on Ctrl-C, and removes their stores", async () => {
    const side = addFixture("waits.js", slow(10_000));
    const words = ["bench", "gate", "--baseline", side, "--against", side, ...short];
    write("pid", "");
    const { child, ended } = folder.start(words);
    await untilPid();
    child.kill("SIGINT");
    expect(await ended).toEqual({ code: 130, out: "", errors: "" });
    expect(isAlive(Number(folder.read("pid")))).toBe(false);
  });
});

/** Resolves when a side has begun to append. */
async function untilPid(): Promise<void> {
  while (folder.read("pid") === "") await new Promise((resolve) => setImmediate(resolve));
}

/** A package whose memory store is the kit's, with something before each append; packed and as a folder. */
function addPackage(name: string, before: string): void {
  mkdirSync(path(name), { recursive: true });
  const exports = { "./adapters/memory": "./memory.js" };
  write(
    `${name}/package.json`,
    JSON.stringify({ name, version: "1.0.0", type: "module", exports }),
  );
  write(
    `${name}/memory.js`,
    `import { memoryCheckpointer as create } from ${JSON.stringify(folder.memoryAdapter)};
     export function memoryCheckpointer() {
       const handle = create();
       return { ...handle, async append(...words) { ${before} return handle.append(...words); } };
     }`,
  );
  const flags = ["pack", "--silent", "--ignore-scripts", "--pack-destination", path("")];
  execFileSync("npm", flags, { cwd: path(name) });
}
