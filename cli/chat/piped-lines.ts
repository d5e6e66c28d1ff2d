import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { splitLines } from "../input/split-lines.ts";
import type { ChatLines } from "./chat-lines.ts";

/** The lines of standard input, which is no terminal. */
export function pipedLines({ input, io }: Context): ChatLines {
  const lines = splitLines(input.bytes());
  return {
    async next() {
      io.signal.throwIfAborted();
      const step = await lines.next();
      if (step.done === true) return null;
      const { bytes, start } = step.value;
      return textOf(bytes, start.line);
    },
    during: (work) => work(io.signal),
    close: () => undefined,
  };
}

function textOf(bytes: Uint8Array, line: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r$/, "");
  } catch {
    throw new CliError(exitCodes.failed, `Standard input, line ${line}: wanted UTF-8`);
  }
}
