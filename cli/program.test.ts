import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { exitCodes } from "./exit-codes.ts";
import { boundRun, capturedRun, sharedMemory } from "./testing/captured-run.ts";

const { store, schemes } = sharedMemory();
const ckpt = boundRun(schemes);

describe("ckpt", () => {
  it("prints its version", async () => {
    const expected = { code: 0, out: `${manifest.version}\n`, errors: "" };
    expect(await capturedRun(["--version"])).toEqual(expected);
  });

  it("explains stores, ids and exit codes in --help", async () => {
    const { code, out, errors } = await capturedRun(["--help"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    for (const text of ["file:<directory>", "CHECKPOINTER_STORE", "--session=-x", "Exit codes:"]) {
      expect(out).toContain(text);
    }
    for (const exitCode of Object.values(exitCodes)) {
      expect(out).toMatch(new RegExp(`^ +${exitCode} +\\w`, "m"));
    }
  });

  it("explains every command in its own --help", async () => {
    const { out } = await capturedRun(["--help"]);
    const names = [...out.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name ?? "");
    expect(names.length).toBeGreaterThanOrEqual(12);
    for (const name of names.filter((name) => name !== "help")) {
      const help = await capturedRun([name, "--help"]);
      expect(help).toMatchObject({ code: 0, errors: "" });
      expect(help.out).toContain(`Usage: ckpt ${name}`);
    }
  });
});

describe("a wrong command line is one line on standard error and exit code 2:", () => {
  it.each([
    [[], "Name a command; --help lists them"],
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["sho"], "unknown command 'sho' (Did you mean show?)"],
    [["ls", "--nope"], "unknown option '--nope'"],
    [["ls", "extra"], "too many arguments for 'ls'. Expected 0 arguments but got 1."],
    [["show"], "Name a session"],
    [["show", "a", "--session=b"], "Name the session once: as an argument or with --session"],
    [["show", ""], /Invalid session id/],
    [["show", "a", "--limit", "1e3"], /--limit <n>.*'1e3' is invalid. Wanted a whole number/],
    [["show", "a", "--since", "-1"], /--since <seq>.*'-1' is invalid/],
    [["show", "a", "--until="], /--until <seq>.*'' is invalid/],
    [
      ["truncate", "a", "abc"],
      "command-argument value 'abc' is invalid for argument 'toSeq'. Wanted a whole number from 0.",
    ],
    [["fork", "a", "0", "b"], /'0' is invalid for argument 'atSeq'. Wanted a whole number from 1/],
    [["tail", "a", "-n", "x"], /'x' is invalid/],
    [["import", "x", "--batch", "0"], /Wanted a whole number from 1 to 100000/],
    [["import", "-"], "Standard input has no name: give it one with --session"],
    [["copy", "memory:"], "missing required argument 'to'"],
    [
      ["--store", "nope:x", "ls"],
      /Wanted a store as file:<directory>, sqlite:<file>, postgres:.*, memory:.*"nope"/,
    ],
    [["ls", "--store", "./sessions"], /met a store without a scheme/],
    [["ls", "--store", "__proto__:x"], /unknown scheme "__proto__"/],
    [["ls", "--store", "file:"], "Wanted a store as file:<directory>; met no path"],
    [["ls", "\u001b[31m\n--x", "b"], /too many arguments/],
    [["\u001b[31m\nx"], "unknown command '\\u001b[31m x'"],
    [["ls", "--url=postgres://u:secret@h"], "unknown option '--url=postgres://u:***@h'"],
  ])("%j", async (words, message) => {
    const { code, out, errors } = await ckpt(words);
    expect({ code, out }).toEqual({ code: exitCodes.usage, out: "" });
    expect(errors).toMatch(/^ckpt: .*\n$/);
    const text = errors.slice("ckpt: ".length, -1);
    if (typeof message === "string") expect(text).toBe(message);
    else expect(text).toMatch(message);
  });

  it("no store at all", async () => {
    const { code, errors } = await capturedRun(["ls"]);
    expect(code).toBe(exitCodes.usage);
    expect(errors).toBe("ckpt: Name a store: --store <spec>, or set CHECKPOINTER_STORE\n");
  });

  it("a spec whose password must not be repeated", async () => {
    const { errors } = await capturedRun(["ls", "--store", "pg://user:secret@host/db"]);
    expect(errors).toContain('unknown scheme "pg"');
    expect(errors).not.toContain("secret");
  });
});

describe("the store", () => {
  it("may be named before or after the command, and wins over the environment", async () => {
    await store.append("here", [{ n: 1 }]);
    const env = { CHECKPOINTER_STORE: "other:" };
    for (const words of [
      ["--store", "memory:", "ls"],
      ["ls", "--store=memory:"],
    ]) {
      expect((await capturedRun(words, { schemes, env })).out).toContain("here");
    }
    expect((await capturedRun(["ls"], { schemes, env })).out).toBe("");
  });
});

describe.each(["-", "-x", "--", "--json", "--store=y", "-5", "a\u001b[2J\nb", "\u202eabc", "a b"])(
  "the session id %j",
  (id) => {
    it("works with every command and reaches no terminal", async () => {
      const fresh = sharedMemory();
      const run = boundRun(fresh.schemes);
      const printed: string[] = [];
      const ok = async (words: string[], stdin = ""): Promise<void> => {
        const { code, out, errors } = await run(words, { stdin });
        expect({ words, code, errors }).toEqual({ words, code: 0, errors: "" });
        printed.push(out);
      };
      await ok(["import", "-", `--session=${id}`], '{"n":1}\n{"n":2}\n');
      for (const command of ["show", "export", "tail", "verify", "stats"]) {
        await ok([command, `--session=${id}`]);
        await ok([command, "--json", "--", id]);
      }
      await ok(["ls"]);
      await ok(["ls", "--json"]);
      await ok(["fork", "--", id, "1", `${id}2`]);
      await ok(["copy", "--", "memory:", "other:", id]);
      await ok(["truncate", "--", id, "1"]);
      expect(await fresh.store.head(id)).toBe(1);
      expect(await fresh.other.head(id)).toBe(2);
      await ok(["rm", "--", id, `${id}2`]);
      expect(await fresh.store.list()).toEqual([]);
      expect(printed.join("")).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    });
  },
);
