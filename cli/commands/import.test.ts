import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { Interruption } from "../interruption.ts";
import type { StoreSchemes } from "../open-store.ts";
import { boundRun, sharedMemory, type BoundRun } from "../testing/captured-run.ts";

let folder: string;
let store: Store;
let schemes: StoreSchemes;
let ckpt: BoundRun;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ckpt-import-"));
  ({ store, schemes } = sharedMemory());
  ckpt = boundRun(schemes);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function events(sessionId: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { event } of store.read(sessionId)) all.push(event);
  return all;
}

/** JSONL of `{"n":1}` to `{"n":count}`. */
function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `{"n":${index + 1}}\n`).join("");
}

describe("ckpt import", () => {
  it("makes one session of every file", async () => {
    const one = await file("one.jsonl", '{"a":1}\n{"a":2}\n');
    const two = await file("two.json", '[{"b":1}]');
    const { code, out, errors } = await ckpt(["import", one, two]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out).toBe(`${one} -> one: 2 records, 2 new\n${two} -> two: 1 record, 1 new\n`);
    expect(await events("one")).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await events("two")).toEqual([{ b: 1 }]);
  });

  it("says so as JSON", async () => {
    const path = await file("one.jsonl", numbered(3));
    const { out } = await ckpt(["import", "--json", path]);
    const expected = { file: path, session: "one", records: 3, appended: 3, head: 3 };
    expect(JSON.parse(out)).toEqual(expected);
  });

  it("creates no session of an empty file", async () => {
    const { code } = await ckpt(["import", await file("empty.jsonl", "\n")]);
    expect(code).toBe(0);
    expect(await store.list()).toEqual([]);
  });

  it("reads standard input", async () => {
    const stdin = numbered(2);
    const { code } = await ckpt(["import", "-", "--session=-in"], { stdin });
    expect(code).toBe(0);
    expect(await events("-in")).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("gives back through export exactly the records, whatever they are", async () => {
    const values = fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record({ type: fc.constant("imported_value"), value: fc.jsonValue() }),
        fc.string({ unit: "binary" }),
      ),
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(values, fc.integer({ min: 1, max: 5 }), async (records, batch) => {
        run += 1;
        const stdin = JSON.stringify(records);
        const words = ["import", "-", "--session", `s${run}`, "--batch", String(batch)];
        expect(await ckpt(words, { stdin })).toMatchObject({ code: 0 });
        if (records.length === 0) return;
        const { out } = await ckpt(["export", `s${run}`]);
        const lines = out.split("\n").slice(0, -1);
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(JSON.parse(stdin));
      }),
    );
  });

  it("takes every line as a record with --lines", async () => {
    await ckpt(["import", "--lines", "--session", "s", "-"], { stdin: "[1,2]\n" });
    expect((await ckpt(["export", "s"])).out).toBe("[1,2]\n");
  });
});

describe("ckpt import, run again", () => {
  it("appends nothing that is there", async () => {
    const path = await file("s.jsonl", numbered(7));
    await ckpt(["import", path, "--batch", "3"]);
    const { code, out } = await ckpt(["import", path, "--batch", "3"]);
    expect(code).toBe(0);
    expect(out).toContain("7 records, 0 new");
    expect(await store.head("s")).toBe(7);
  });

  it("appends what the file got since", async () => {
    await ckpt(["import", await file("s.jsonl", numbered(3))]);
    const { out } = await ckpt(["import", await file("s.jsonl", numbered(5))]);
    expect(out).toContain("5 records, 2 new");
    expect(await events("s")).toEqual([1, 2, 3, 4, 5].map((n) => ({ n })));
  });

  it("goes on where a bad line stopped it, and repeats nothing", async () => {
    const broken = await file("s.jsonl", `${numbered(5)}{"n":\n`);
    const first = await ckpt(["import", broken, "--batch", "2"]);
    expect(first.code).toBe(exitCodes.failed);
    expect(first.errors).toBe(
      `ckpt: ${broken}: line 6, byte 6: not JSON: Unexpected end of JSON input; ` +
        "4 records before it are stored\n",
    );
    const second = await ckpt(["import", await file("s.jsonl", numbered(6))]);
    expect(second.out).toContain("6 records, 2 new");
    expect(await events("s")).toEqual([1, 2, 3, 4, 5, 6].map((n) => ({ n })));
  });

  it("leaves a session alone that has more events than the file", async () => {
    await store.append("s", [{ n: 1 }, { n: 2 }, { n: 3 }]);
    const { code, out } = await ckpt(["import", await file("s.jsonl", numbered(2))]);
    expect(code).toBe(0);
    expect(out).toContain("2 records, 0 new, head 3");
  });

  it("refuses a session with other events and writes nothing", async () => {
    await store.append("s", [{ n: 1 }, { n: 0 }]);
    const path = await file("s.jsonl", `\n${numbered(4)}`);
    const { code, errors } = await ckpt(["import", path]);
    expect(code).toBe(exitCodes.conflict);
    expect(errors).toBe(
      `ckpt: ${path}: Session s has other events: seq 2 differs from line 3; nothing was written\n`,
    );
    expect(await store.head("s")).toBe(2);
  });

  it("never interleaves with another import", async () => {
    const path = await file("s.jsonl", numbered(40));
    const runs = Array.from({ length: 4 }, () => ckpt(["import", path, "--batch", "3"]));
    for (const { code } of await Promise.all(runs)) {
      expect([exitCodes.ok, exitCodes.conflict]).toContain(code);
    }
    const expected = Array.from({ length: 40 }, (_, index) => ({ n: index + 1 }));
    expect(await ckpt(["import", path])).toMatchObject({ code: 0 });
    expect(await events("s")).toEqual(expected);
  });

  it("notices a history that was replaced after it was compared", async () => {
    await store.append("s", [{ n: 1 }]);
    const replaced: Store = {
      ...store,
      async append(sessionId, batch, expected) {
        await store.delete("s");
        await store.append("s", [{ n: "other" }]);
        return store.append(sessionId, batch, expected);
      },
    };
    const racing = { ...schemes, memory: { ...schemes["memory"]!, open: async () => replaced } };
    const path = await file("s.jsonl", numbered(2));
    const { code, errors } = await boundRun(racing)(["import", path]);
    expect(code).toBe(exitCodes.conflict);
    expect(errors).toContain("Session s was changed by somebody else meanwhile; run again");
  });
});

describe("ckpt import, of several files", () => {
  it("goes on after a file that cannot be imported, with one line about it", async () => {
    const good = await file("good.jsonl", numbered(1));
    const bad = await file("bad.jsonl", "nope\n");
    const { code, out, errors } = await ckpt(["import", bad, good]);
    expect(code).toBe(exitCodes.failed);
    expect(out).toContain("good: 1 record, 1 new");
    const [first, second, rest] = errors.split("\n");
    expect(first).toBe(`ckpt: ${bad}: line 1: not JSON: Unexpected token 'o'`);
    expect([second, rest]).toEqual(["ckpt: 1 of 2 files failed", ""]);
  });

  it("starts nothing when a file is not there or is a directory", async () => {
    const good = await file("good.jsonl", numbered(1));
    const target = `file:${join(folder, "store")}`;
    const missing = await ckpt(["import", "--store", target, good, join(folder, "nope")]);
    expect(missing.code).toBe(exitCodes.failed);
    expect(missing.errors).toMatch(/nope: cannot read: no such file or directory\n$/);
    const directory = await ckpt(["import", "--store", target, good, folder]);
    expect(directory.errors).toMatch(/: is a directory\n$/);
    expect(existsSync(join(folder, "store"))).toBe(false);
  });

  it("names files that share a name after their paths", async () => {
    const paths = [await file("a/x.jsonl", numbered(1)), await file("b/x.jsonl", numbered(2))];
    await ckpt(["import", ...paths]);
    expect((await store.list()).map(({ id }) => id).sort()).toEqual(paths);
  });
});

describe("ckpt import, of what the store refuses", () => {
  it("names the line", async () => {
    const deep = "[".repeat(2000) + "]".repeat(2000);
    const path = await file("s.jsonl", `${numbered(3)}{"deep":${deep}}\n`);
    const { code, errors } = await ckpt(["import", path]);
    expect(code).toBe(exitCodes.failed);
    expect(errors).toMatch(/s\.jsonl: Cannot append line 4: nested deeper .*\(LIMIT_EXCEEDED\)\n$/);
    expect(await store.head("s")).toBe(0);
  });

  it("takes rounded numbers only when told to", async () => {
    const path = await file("s.jsonl", '{"id":12345678901234567890}\n');
    expect(await ckpt(["import", path])).toMatchObject({ code: exitCodes.failed, out: "" });
    expect(await ckpt(["import", path, "--allow-rounding"])).toMatchObject({ code: 0 });
  });
});

describe("ckpt import, interrupted", () => {
  it("ends with 130 at a batch, says nothing and can go on later", async () => {
    const controller = new AbortController();
    const interrupting: Store = {
      ...store,
      close: async () => undefined,
      async append(...args) {
        controller.abort(new Interruption("SIGINT", 130));
        return store.append(...args);
      },
    };
    const open = async (): Promise<Store> => interrupting;
    const stopping = boundRun({ ...schemes, memory: { ...schemes["memory"]!, open } });
    const words = ["import", await file("s.jsonl", numbered(9)), "--batch", "4"];
    const stopped = await stopping(words, { signal: controller.signal });
    expect(stopped).toEqual({ code: 130, out: "", errors: "" });
    expect(await store.head("s")).toBe(4);
    expect((await ckpt(words)).out).toContain("9 records, 5 new");
  });
});

describe("ckpt import, on a terminal", () => {
  it("shows progress on standard error and takes it away again", async () => {
    const path = await file("s.jsonl", numbered(3));
    const { errors } = await ckpt(["import", path, "--batch", "1"], { terminal: true });
    expect(errors).toContain("1 record");
    expect(errors.endsWith("\r\u001b[K")).toBe(true);
  });

  it("shows none elsewhere", async () => {
    const path = await file("s.jsonl", numbered(3));
    expect((await ckpt(["import", path])).errors).toBe("");
  });
});

describe("ckpt import --from", () => {
  const user = (content: unknown): object => ({ type: "user", message: { role: "user", content } });
  const transcript = [
    user("go"),
    { type: "assistant", message: { id: "m", content: [{ type: "text", text: "Do" }] } },
    { type: "assistant", message: { id: "m", content: [{ type: "text", text: "ne." }] } },
    { type: "mode", mode: "plan" },
    user([
      { type: "tool_result", tool_use_id: "t", content: "1" },
      { type: "tool_result", tool_use_id: "u", content: "2" },
    ]),
  ];
  const jsonl = transcript.map((record) => `${JSON.stringify(record)}\n`).join("");

  it("makes a conversation of a transcript, from a file or from a pipe, and stores it once", async () => {
    const path = await file("s.jsonl", jsonl);
    const first = await ckpt(["import", path, "--from", "claude-code", "--batch", "2"]);
    expect(first.out).toBe(`${path} -> s: 5 records, 5 events, 5 new, 1 prompt\n`);
    const words = ["import", "-", "--session", "s", "--from=claude-code", "--json"];
    const again = await ckpt(words, { stdin: jsonl });
    expect(JSON.parse(again.out)).toEqual({
      file: "-",
      session: "s",
      records: 5,
      events: 5,
      appended: 0,
      prompts: 1,
      head: 5,
    });
    expect(await events("s")).toMatchObject([
      { type: "user", content: "go", origin: "input" },
      { type: "assistant", content: [{ text: "Do" }, { text: "ne." }] },
      { type: "claude-code:mode", imported: { records: [{ line: 4, value: transcript[3] }] } },
      { type: "tool_result", callId: "t" },
      { type: "tool_result", callId: "u" },
    ]);
  });

  it("reads rollouts and arrays of messages", async () => {
    const item = { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] };
    const rollout = `${JSON.stringify({ type: "response_item", payload: item })}\n`;
    await ckpt(["import", "-", "--session", "c", "--from", "codex"], { stdin: rollout });
    expect(await events("c")).toMatchObject([{ type: "user", origin: "input" }]);
    const array = '[{"role":"user","content":"go"},{"role":"assistant","content":"ok"}]';
    await ckpt(["import", "-", "--session", "m", "--from", "messages"], { stdin: array });
    expect(await events("m")).toMatchObject([{ content: "go" }, { content: "ok" }]);
  });

  it("names the line that does not fit, and refuses a format it does not know", async () => {
    const path = await file("s.jsonl", '{"role":"user","content":"go"}\n{"roll":"user"}\n');
    const { code, errors } = await ckpt(["import", path, "--from", "messages"]);
    expect(code).toBe(exitCodes.failed);
    expect(errors).toBe(
      `ckpt: ${path}: Cannot import line 2: wanted a message, an object with a role, met something else\n`,
    );
    expect(await ckpt(["import", path, "--from", "gemini"])).toMatchObject({
      code: exitCodes.usage,
    });
  });
});
