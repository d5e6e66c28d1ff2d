/**
 * Goal: a model changes what it asked to change and nothing else. Method: the tools run in a scripted turn over real
 * files, with names and contents that break tools which take files for text.
 */
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cleanUp, temporaryDirectory } from "../../test/agent/agent-stores.ts";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { agentLimits } from "../agent-limits.ts";
import { filesBelow, put, testAgent } from "../testing/test-agent.ts";

afterEach(cleanUp);

/** The result of one call, and whether it failed. */
async function run(workdir: string, name: string, input: unknown): Promise<[string, boolean]> {
  const store = memoryCheckpointer();
  const agent = testAgent(workdir, store, [{ toolCalls: [{ name, input }] }, { text: "done" }]);
  await agent.send("go");
  for await (const { event } of store.read(agent.sessionId)) {
    if (event.type === "tool_result") return [String(event.output), event.isError === true];
  }
  throw new Error("no result");
}

describe("edit_file", () => {
  test("keeps the byte order mark, line ends, mode and everything around", async () => {
    const workdir = temporaryDirectory();
    put(workdir, "a.txt", "\ufeffone\r\ntwo\r\nthree");
    chmodSync(join(workdir, "a.txt"), 0o750);
    await run(workdir, "edit_file", { path: "a.txt", old_string: "two", new_string: "2" });
    expect(readFileSync(join(workdir, "a.txt"), "utf8")).toBe("\ufeffone\r\n2\r\nthree");
    expect(statSync(join(workdir, "a.txt")).mode & 0o777).toBe(0o750);
  });

  test("takes what replaces as it is, also what String.replace would expand", async () => {
    const workdir = temporaryDirectory();
    put(workdir, "a.txt", "x y x");
    const input = { path: "a.txt", old_string: "x", new_string: "$& $1 $$", replace_all: true };
    expect(await run(workdir, "edit_file", input)).toEqual(["Replaced 2 places in a.txt", false]);
    expect(readFileSync(join(workdir, "a.txt"), "utf8")).toBe("$& $1 $$ y $& $1 $$");
  });

  test.each([
    ["text that is not there", { old_string: "z", new_string: "" }, /does not occur/],
    ["text that is there twice", { old_string: "x", new_string: "" }, /occurs 2 times/],
    ["empty text", { old_string: "", new_string: "y" }, /empty/],
    ["a missing file", { path: "b.txt", old_string: "x", new_string: "y" }, /No file/],
    ["a file that is not UTF-8", { path: "c", old_string: "x", new_string: "y" }, /not UTF-8/],
  ])("refuses %s, and every file is as it was", async (_what, input, message) => {
    const workdir = temporaryDirectory();
    put(workdir, "a.txt", "x y x");
    put(workdir, "c", Buffer.from([0x78, 0xff]));
    const before = filesBelow(workdir);
    const [output, failed] = await run(workdir, "edit_file", { path: "a.txt", ...input });
    expect(output).toMatch(message);
    expect(failed).toBe(true);
    expect(filesBelow(workdir)).toEqual(before);
  });
});

describe("write_file", () => {
  test("writes any bytes as base64, and refuses what is not base64", async () => {
    const workdir = temporaryDirectory();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const content = Buffer.from(bytes).toString("base64");
    await run(workdir, "write_file", { path: "deep/er/b", content, encoding: "base64" });
    expect(new Uint8Array(readFileSync(join(workdir, "deep/er/b")))).toEqual(bytes);
    const bad = { path: "c", content: "no base64!", encoding: "base64" };
    expect((await run(workdir, "write_file", bad))[1]).toBe(true);
    expect((await run(workdir, "write_file", { path: "c", content: "\ud800" }))[1]).toBe(true);
    expect(Object.keys(filesBelow(workdir))).toEqual(["deep/er/b"]);
  });

  test("keeps the mode of a file, gives a new one the usual, and leaves nothing beside it", async () => {
    const workdir = temporaryDirectory();
    put(workdir, "run.sh", "old");
    chmodSync(join(workdir, "run.sh"), 0o755);
    await run(workdir, "write_file", { path: "run.sh", content: "new" });
    await run(workdir, "write_file", { path: "new.txt", content: "new" });
    writeFileSync(join(workdir, "usual.txt"), "new");
    const files = filesBelow(workdir);
    expect(files["run.sh"]).toMatch(/ 755$/);
    expect(files["new.txt"]).toBe(files["usual.txt"]);
    expect(Object.keys(files)).toEqual(["new.txt", "run.sh", "usual.txt"]);
  });

  test("takes names as long as names can be, and names that are only unusual", async () => {
    const workdir = temporaryDirectory();
    const names = ["a".repeat(255), "日".repeat(85), "..data", "a\\b", "sp ace ", "-rf"];
    for (const path of names) {
      expect(await run(workdir, "write_file", { path, content: path })).toMatchObject([
        expect.anything(),
        false,
      ]);
      expect(readFileSync(join(workdir, path), "utf8")).toBe(path);
    }
  });
});

describe.each(["write_file", "edit_file", "delete_file"])("%s", (name) => {
  const fields = { content: "x", old_string: "target", new_string: "x" };

  test.each(["../a", "/etc/passwd", "dir/../../a", ".", "", "a\0b", "link", "linked/a", "dir"])(
    "refuses the path %j",
    async (path) => {
      const workdir = temporaryDirectory();
      const outside = temporaryDirectory();
      put(outside, "a", "target");
      mkdirSync(join(workdir, "dir"));
      symlinkSync(join(outside, "a"), join(workdir, "link"));
      symlinkSync(outside, join(workdir, "linked"));
      const before = filesBelow(workdir);
      const [, failed] = await run(workdir, name, { path, ...fields });
      expect(failed).toBe(true);
      expect(filesBelow(workdir)).toEqual(before);
      expect(readFileSync(join(outside, "a"), "utf8")).toBe("target");
    },
  );

  test("takes an absolute path that is inside", async () => {
    const workdir = temporaryDirectory();
    put(workdir, "a", "target");
    expect((await run(workdir, name, { path: join(workdir, "a"), ...fields }))[1]).toBe(false);
  });

  test.each([null, 7, "path", [], {}, { path: 7 }, { path: ["a"] }])(
    "answers the input %j with what was wanted",
    async (input) => {
      const [output, failed] = await run(temporaryDirectory(), name, input);
      expect(failed).toBe(true);
      expect(output).toMatch(/wanted/);
    },
  );
});

describe("read_file", () => {
  test("reads whole files, lines of them, and through links that stay inside", async () => {
    const workdir = temporaryDirectory();
    put(workdir, "dir/a.txt", "one\ntwo\nthree\n");
    symlinkSync(join(workdir, "dir"), join(workdir, "link"));
    expect(await run(workdir, "read_file", { path: "link/a.txt" })).toEqual([
      "one\ntwo\nthree\n",
      false,
    ]);
    const lines = { path: "dir/a.txt", offset: 2, limit: 1 };
    expect(await run(workdir, "read_file", lines)).toEqual(["two", false]);
  });

  test("does not follow a link out of the working directory", async () => {
    const workdir = temporaryDirectory();
    const outside = temporaryDirectory();
    put(outside, "secret", "secret");
    symlinkSync(join(outside, "secret"), join(workdir, "link"));
    const [output, failed] = await run(workdir, "read_file", { path: "link" });
    expect(failed).toBe(true);
    expect(output).not.toContain("secret");
  });

  test("cuts a long file and says where to read on; that gives the rest", async () => {
    const workdir = temporaryDirectory();
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index}`);
    put(workdir, "long.txt", lines.join("\n"));
    const [first] = await run(workdir, "read_file", { path: "long.txt" });
    expect(first.length).toBeLessThan(agentLimits.maxReadCharacters + 100);
    const offset = Number(/read on with offset (\d+)\]$/.exec(first)![1]);
    const [rest] = await run(workdir, "read_file", { path: "long.txt", offset });
    expect(rest.split("\n")).toEqual(lines.slice(offset - 1));
  });

  test("says of bytes that are no text what they are", async () => {
    const workdir = temporaryDirectory();
    put(workdir, "b", Buffer.from([0xff, 0xfe, 0]));
    const [output, failed] = await run(workdir, "read_file", { path: "b" });
    expect(output).toMatch(/^b is not UTF-8 text: 3 bytes, SHA-256 [0-9a-f]{64}$/);
    expect(failed).toBe(false);
  });
});
