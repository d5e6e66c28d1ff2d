import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { properties } from "../../conformance/properties/index.ts";
import type { ReportDocument } from "../../conformance/reports/report-json.ts";
import { capturedRun } from "../testing/captured-run.ts";
import { fixtureFolder } from "../certify/testing/fixture-folder.ts";

const folder = fixtureFolder();
const { run: ckpt, addFixture, write, path } = folder;

afterAll(folder.remove);

/** A store that loses every U+0000, as some engines do. */
const lossy = `(handle) => ({ ...handle, append: (id, events, ...rest) =>
  handle.append(id, JSON.parse(JSON.stringify(events).replaceAll("\\\\u0000", "")), ...rest) })`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("ckpt certify", () => {
  it("certifies a store at the highest level its manifest can reach, and writes every report", async () => {
    const files = ["--report", "r.json", "--junit", "r.xml", "--md", "r.md", "--badge", "r.svg"];
    const { code, out, errors } = await ckpt(["certify", "memory", ...files]);
    expect({ code, errors }).toEqual({ code: 0, errors: expect.stringMatching(/^ok +\d/) });
    expect(out).toMatch(/^memory: L2 · .*truncate/);
    expect(out).toContain("not L3: durability is claimed to be none");
    const report = JSON.parse(folder.read("r.json")) as ReportDocument;
    expect(report).toMatchObject({ format: 1, level: "L2", asked: "L2", untested: [] });
    const asked = properties.filter(({ level }) => level === "L1" || level === "L2");
    expect(report.results.map(({ id }) => id)).toEqual(asked.map(({ id }) => id));
    expect(folder.read("r.xml")).toContain(`<testsuites name="memory conformance" tests="`);
    expect(folder.read("r.md")).toMatch(/^## memory: L2/);
    expect(folder.read("r.svg")).toContain("L2 · ");
    expect(folder.leftovers()).toEqual([]);
  });

  it.each(["file", "sqlite"])("certifies the kit's own %s store, sealed", async (name) => {
    const words = ["certify", name, "--pipeline", "sealed", "--property", "P25", "--json"];
    const { code, out, errors } = await ckpt([...words, "--property", "P53"]);
    expect({ code, errors }).toMatchObject({ code: 0 });
    const report = JSON.parse(out) as ReportDocument;
    expect(report).toMatchObject({ name: `${name}, sealed`, level: null, asked: null });
    expect(report.results.map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
    expect(report.manifest).toMatchObject({ concurrency: "host" });
    expect(folder.leftovers()).toEqual([]);
  });

  it("exits with 1 when a property fails, and says how to see it again", async () => {
    const fixture = addFixture("lossy.js", lossy);
    const words = ["certify", fixture, "--property", "P27", "--seed", "7", "--failure", "f.json"];
    const { code, out, errors } = await ckpt(words);
    expect(code).toBe(1);
    expect(errors).toContain("ckpt: P27 is in f.json, for ckpt replay\n");
    expect(errors).toMatch(/\nckpt: wrapped: P27 failed\n$/);
    const again = /^ {2}ckpt (certify \.\/lossy\.js --property P27 --seed 7 .*)$/m.exec(out)?.[1];
    expect(again).toBeDefined();
    const second = await ckpt((again ?? "").split(" "));
    expect(second.code).toBe(1);
    expect(counterexampleIn(second.out)).toBe(counterexampleIn(out));
  });

  it("exits with 1 when a level that was asked for cannot be shown", async () => {
    const { code, out } = await ckpt(["certify", "memory", "--level", "L3"]);
    expect(code).toBe(1);
    expect(out).toMatch(/not L3: durability is claimed to be none/);
  });

  it("exits with 1 when the store throws where nobody can catch it", async () => {
    const wrap = `(handle) => ({ ...handle, head() {
      setImmediate(() => { throw new Error("lost reply from db://me:secret@host") });
      return new Promise(() => undefined);
    } })`;
    const { code, out, errors } = await ckpt(["certify", addFixture("throws.js", wrap)]);
    expect(code).toBe(1);
    expect(out).toContain("lost reply from db://me:***@host");
    expect(out).toContain("not run, since the run ended with");
    expect(out + errors).not.toContain("secret");
  });

  it("goes on after a rejection that nobody handles, and tells it", async () => {
    const wrap = `(handle) => ({ ...handle, append(...words) {
      void Promise.reject(new Error("stray"));
      return handle.append(...words);
    } })`;
    const words = ["certify", addFixture("stray.js", wrap), "--property", "P25"];
    const { code, errors } = await ckpt(words);
    expect(code).toBe(0);
    expect(errors).toContain("nobody handles a rejection of P25: Error: stray\n");
  });

  it("exits with 3 when the store is not what its manifest says", async () => {
    const wrap = `(handle) => ({ ...handle, capabilities: { ...handle.capabilities } })`;
    const words = ["certify", addFixture("thawed.js", wrap), "--property", "M1"];
    expect(await ckpt(words)).toMatchObject({ code: 3 });
  });

  it("exits with 3 under --strict when a method is there that is not claimed", async () => {
    const wrap = `(handle) => {
      const capabilities = Object.freeze({ ...handle.capabilities, fork: false });
      return { ...handle, capabilities };
    }`;
    const words = ["certify", addFixture("shy.js", wrap), "--property", "P25"];
    const { code, out } = await ckpt(words);
    expect(code).toBe(0);
    expect(out).toContain("untested: fork: there, but not claimed");
    expect(await ckpt([...words, "--strict"])).toMatchObject({ code: 3 });
  });

  it("exits with 4 and names the property when a call never returns", async () => {
    const wrap = `(handle) => ({ ...handle, append: () => new Promise(() => undefined) })`;
    const words = ["certify", addFixture("never.js", wrap), "--patience", "1"];
    const { code, out } = await ckpt(words);
    expect(code).toBe(4);
    expect(out).toMatch(/^HUNG {2}\w+ /m);
    expect(out).toContain("no end after 1 s");
    expect(folder.leftovers()).toEqual([]);
  });

  it("exits with 4 when a call spins, and ends the process that spins", async () => {
    const wrap = `(handle) => ({ ...handle, append() {
      writeFileSync(dir + "/pid", String(process.pid));
      for (;;);
    } })`;
    const words = ["certify", addFixture("spins.js", wrap), "--patience", "1"];
    const { code, out } = await ckpt(words);
    expect(code).toBe(4);
    expect(out).toMatch(/^HUNG {2}\w+ /m);
    expect(out).toContain("in a loop that lets nothing else run");
    expect(isAlive(Number(folder.read("pid")))).toBe(false);
    expect(folder.leftovers()).toEqual([]);
  });

  it("ends everything on Ctrl-C", async () => {
    const wrap = `(handle) => ({ ...handle, append() {
      writeFileSync(dir + "/pid", String(process.pid));
      console.log("running");
      for (;;);
    } })`;
    const { child, ended } = folder.start(["certify", addFixture("waits.js", wrap)]);
    await new Promise((resolve) => child.stderr?.once("data", resolve));
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(isAlive(Number(folder.read("pid")))).toBe(false);
    expect(folder.leftovers()).toEqual([]);
  });
});

describe("a fixture that is none is one line and exit code 2:", () => {
  const modules: Readonly<Record<string, string>> = {
    "syntax.js": "export function createFixture( {",
    "top.js": `throw new Error("no\\nserver at db://me:secret@host")`,
    "empty.js": "export const fixture = 1;",
    "throws.js": `export const createFixture = () => { throw new Error("cannot connect") };`,
    "nothing.js": "export default () => null;",
    "open.js": `export default () => ({ name: "x", dispose() {},
      open() { throw new Error("refused") } });`,
    "gone.js": `export default () => process.exit(0);`,
  };
  it.each([
    [
      "absent.js",
      `No fixture at "absent.js"; wanted the path of a module, or memory, file, sqlite, postgres`,
    ],
    ["file://elsewhere/x.js", /not the URL of a file on this machine/],
    ["syntax.js", /The fixture is unusable: the module cannot be loaded: SyntaxError: /],
    ["top.js", /cannot be loaded: Error: no server at db:\/\/me:\*\*\*@host$/],
    ["empty.js", /the module exports no function createFixture, and no function by default/],
    ["throws.js", "The fixture is unusable: cannot connect"],
    ["nothing.js", "The fixture is unusable: createFixture() gave no fixture: it is no object"],
    ["open.js", "The fixture is unusable: refused"],
    ["gone.js", "The fixture is unusable: the process that runs the suite ended by itself"],
  ])("%s", async (name, message) => {
    const text = modules[name];
    if (text !== undefined) write(name, text);
    const { code, out, errors } = await ckpt(["certify", name]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(errors).toMatch(/^ckpt: .*\n$/);
    const line = errors.slice("ckpt: ".length, -1);
    if (typeof message === "string") expect(line).toBe(message);
    else expect(line).toMatch(message);
  });
});

describe("a wrong command line of certify is one line and exit code 2:", () => {
  it.each([
    [[], "missing required argument 'fixture'"],
    [["memory", "--level", "L9"], /Allowed choices are L1, L2, L3, L4/],
    [["memory", "--property", "P999"], /There is no property "P999"; nearest are P\d+, P\d+, P\d+/],
    [["memory", "--property", "P25", "--level", "L1"], /--level needs all properties/],
    [["memory", "--effort", "0"], /Wanted a number from 0.01 to 1000/],
    [["memory", "--path", "0:1"], "--path needs one --property"],
    [
      ["memory", "--junit", "absent/r.xml"],
      /Cannot write "absent\/r.xml": there is no such folder/,
    ],
    [[import.meta.filename, "--pipeline", "sealed"], /--pipeline is for memory, file, sqlite/],
  ])("%j", async (words, message) => {
    const { code, out, errors } = await capturedRun(["certify", ...words]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(errors).toMatch(/^ckpt: .*\n$/);
    expect(errors).toMatch(message);
  });
});

describe("ckpt replay", () => {
  it("says whether the failure is still there, from the same counterexample", async () => {
    addFixture("replayed.js", lossy);
    await ckpt(["certify", "./replayed.js", "--property", "P27", "--failure", "replay.json"]);
    const failure = JSON.parse(folder.read("replay.json")) as Record<string, unknown>;
    expect(failure).toMatchObject({ format: 1, property: "P27", fixture: "./replayed.js" });
    expect(failure["path"]).toMatch(/^\d+(:\d+)*$/);
    const still = await ckpt(["replay", "replay.json"]);
    expect(still.code).toBe(1);
    expect(still.errors).toMatch(/\nckpt: P27 still fails\n$/);
    expect(counterexampleIn(still.out)).toBe(counterexampleIn(String(failure["message"])));
    addFixture("replayed.js");
    expect(await ckpt(["replay", "replay.json"])).toMatchObject({
      code: 0,
      out: "P27 holds now\n",
    });
    addFixture("other.js", lossy);
    const other = await ckpt(["replay", "replay.json", "--fixture", "./other.js"]);
    expect(other.code).toBe(1);
  });

  const good = {
    format: 1,
    suite: "0",
    fixture: "memory",
    pipeline: null,
    property: "P25",
    seed: 1,
    effort: 1,
    path: null,
    replayPath: null,
    manifestDigest: "0",
  };
  it.each<[string, string | null, RegExp]>([
    ["a file that is not there", null, /Cannot read .*absent.json: no such file or directory/],
    ["what is no JSON", "{", /is no failure file: it is no JSON/],
    ["what is no object", "null", /is no failure file: format is missing or wrong/],
    [
      "a newer format",
      JSON.stringify({ ...good, format: 2 }),
      /format 2 was written by a newer version/,
    ],
    ["a wrong member", JSON.stringify({ ...good, seed: "1" }), /seed is missing or wrong/],
    [
      "an unknown property",
      JSON.stringify({ ...good, property: "P999" }),
      /There is no property "P999"/,
    ],
    [
      "a fixture that is gone",
      JSON.stringify({ ...good, fixture: "./absent.js" }),
      /No fixture at/,
    ],
  ])("refuses %s in one line, with exit code 2", async (_what, text, message) => {
    if (text !== null) write("bad.json", text);
    const { code, out, errors } = await capturedRun([
      "replay",
      path(text === null ? "absent.json" : "bad.json"),
    ]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(errors).toMatch(/^ckpt: .*\n$/);
    expect(errors).toMatch(message);
  });
});

function counterexampleIn(text: string): string | undefined {
  return /Counterexample: (.*)/.exec(text)?.[1];
}

it("the suite's version is the package's", () => {
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { version: string };
  expect((JSON.parse(folder.read("r.json")) as ReportDocument).suite).toBe(version);
});

it("docs/conformance.md shows what its fixture really gets", async () => {
  const text = readFileSync(new URL("../../docs/conformance.md", import.meta.url), "utf8");
  const [, module = ""] = /```js no-run\n([^]*?)```/.exec(text) ?? [];
  const [, command = "", shown] = /```console\n\$ ckpt (.*?) +#.*\n([^]*?)```/.exec(text) ?? [];
  write("lossy.js", module.replace("checkpointer-kit/adapters/memory", folder.memoryAdapter));
  const { out } = await ckpt(command.split(" "));
  const measured = /\d+\.\d s$|suite [\d.]+|Node .*$/gm;
  expect(out.replace(measured, "")).toBe(shown?.replace(measured, ""));
});
