import { describe, expect, it } from "vitest";
import { CorruptLogError } from "../../src/index.ts";
import type { Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { boundRun, sharedMemory } from "../testing/captured-run.ts";

const { store, schemes } = sharedMemory();
const ckpt = boundRun(schemes);
await store.append("s", [
  { type: "user", content: "hello\nthere" },
  {
    type: "assistant",
    content: [
      { type: "text", text: "hi" },
      { type: "tool_use", name: "ls" },
    ],
  },
  { type: "tool_started", callId: "1", name: "ls", input: { path: "." } },
  { type: "tool_result", callId: "1", output: "\u001b[31mred", isError: true },
]);
await store.append("empty", [{ n: 1 }]);
await store.truncate("empty", 0);

/** What a line says behind seq and time. */
const said = (line: string): string => line.slice(30).replace(/ +/g, " ");
const lines = (out: string): string[] => out.split("\n").slice(0, -1);
const seqs = (out: string): number[] => lines(out).map((line) => Number.parseInt(line, 10));

describe("ckpt show", () => {
  it("prints seq, time, type and a summary that is safe to print", async () => {
    const { code, out } = await ckpt(["show", "s"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {5}1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}user /);
    expect(lines(out).map(said)).toEqual([
      "user hello there",
      "assistant hi [tool_use ls]",
      'tool_started ls {"path":"."}',
      "tool_result error: \\u001b[31mred",
    ]);
  });

  it("prints the stored events with --json, a line each", async () => {
    const { out } = await ckpt(["show", "s", "--json"]);
    const expected: unknown[] = [];
    for await (const stored of store.read("s")) expected.push(stored);
    expect(lines(out).map((line) => JSON.parse(line) as unknown)).toEqual(expected);
  });

  it.each([
    [
      ["--since", "1"],
      [2, 3, 4],
    ],
    [
      ["--until", "2"],
      [1, 2],
    ],
    [["--limit", "1"], [1]],
    [["--limit", "0"], []],
    [["--reverse"], [4, 3, 2, 1]],
    [["--reverse", "--since", "1", "--until", "3", "--limit", "1"], [3]],
    [["--since", "99"], []],
  ])("%j shows %j", async (options, expected) => {
    const { code, out } = await ckpt(["show", "s", ...options]);
    expect(code).toBe(0);
    expect(seqs(out)).toEqual(expected);
  });

  it("tells an empty session from one that is not there", async () => {
    expect(await ckpt(["show", "empty"])).toEqual({ code: 0, out: "", errors: "" });
    const missing = { code: exitCodes.failed, out: "", errors: "ckpt: No session em\n" };
    expect(await ckpt(["show", "em"])).toEqual(missing);
  });

  it("colours and keeps to the width on a terminal, unless NO_COLOR says so", async () => {
    await store.append("wide", [{ type: "user", content: "日本".repeat(200) }]);
    const coloured = await ckpt(["show", "wide"], { terminal: true });
    expect(coloured.out).toContain("\u001b[");
    const env = { CHECKPOINTER_STORE: "memory:", NO_COLOR: "1" };
    const { out } = await ckpt(["show", "wide"], { terminal: true, env });
    expect(out).not.toContain("\u001b");
    const japanese = out.match(/[日本]/g)?.length ?? 0;
    expect(out.trimEnd().length + japanese).toBeLessThanOrEqual(80);
  });

  it("prints what is before damage, and then exits with 4", async () => {
    const damaged: Store = {
      ...store,
      close: async () => undefined,
      async *read(sessionId, options) {
        yield* store.read(sessionId, { ...options, untilSeq: 2 });
        throw new CorruptLogError(sessionId, 3, 99, "checksum");
      },
    };
    const memory = { ...schemes["memory"]!, open: async () => damaged };
    const { code, out, errors } = await boundRun({ ...schemes, memory })(["show", "s"]);
    expect(code).toBe(exitCodes.damaged);
    expect(seqs(out)).toEqual([1, 2]);
    const message = 'Session "s" is damaged at seq 3 (byte 99): checksum (CORRUPT_LOG)';
    expect(errors).toBe(`ckpt: ${message}\n`);
  });
});
