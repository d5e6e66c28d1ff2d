/** Goal: what is typed at a terminal comes out as lines. `terminal.test.ts` has a real one. */
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { createContext, type Context } from "../context.ts";
import { askSecret } from "../input/ask-secret.ts";
import { captureStream } from "../testing/captured-run.ts";
import { terminalLines } from "./terminal-lines.ts";

/** A terminal at which these chunks are typed. */
function typing(...chunks: string[]): { context: Context; rawModes: boolean[] } {
  const rawModes: boolean[] = [];
  const keyboard = { isTTY: true, setRawMode: (on: boolean) => rawModes.push(on) };
  const io = {
    stdin: Object.assign(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), keyboard),
    stdout: captureStream(true),
    stderr: captureStream(true),
    env: {},
    signal: new AbortController().signal,
  };
  return { context: createContext(io, {}), rawModes };
}

async function linesOf(context: Context, past: readonly string[] = []): Promise<string[]> {
  const lines = terminalLines(context, past);
  const typed: string[] = [];
  for (let line = await lines.next(); line !== null; line = await lines.next()) typed.push(line);
  lines.close();
  return typed;
}

it("lines follow the password that was asked for at the same terminal, which is given back", async () => {
  const { context, rawModes } = typing("secret\rHel", "lo\rAgain\r", "\u0004");
  expect(await askSecret(context, "Password")).toBe("secret");
  expect(await linesOf(context)).toEqual(["Hello", "Again"]);
  expect(rawModes).toEqual([true, false, true, false]);
});

it("pasted text of several lines is one line, and so is one from the history", async () => {
  const { context } = typing(
    "See \u001b[200~a\r\tb\u001b[201~\r",
    "\u001b[A\r\u001b[A\u001b[A\r",
    "\u0004",
  );
  const pasted = "See a\n\tb";
  expect(await linesOf(context, ["older", "line 1\nline 2"])).toEqual([
    pasted,
    pasted,
    "line 1\nline 2",
  ]);
});
