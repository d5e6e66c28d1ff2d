import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { Interruption } from "../interruption.ts";
import { escapeText } from "../output/escape.ts";
import { readLine } from "./read-line.ts";
import type { StandardInput } from "./standard-input.ts";

/** What a terminal in raw mode sends for keys that mean something. */
const key = {
  interrupt: "\u0003",
  endOfInput: "\u0004",
  backspace: "\b",
  lineFeed: "\n",
  enter: "\r",
  clearLine: "\u0015",
  delete: "\u007f",
} as const;

/** Whether a person sits at standard input. */
export function isInteractive({ io }: Context): boolean {
  return io.stdin.isTTY === true && io.stdin.setRawMode !== undefined;
}

/**
 * A secret: typed without echo on a terminal, else a line of standard input.
 *
 * @param question - shown on standard error, on a terminal only
 */
export async function askSecret(context: Context, question: string): Promise<string> {
  const { stdin, stderr } = context.io;
  if (!isInteractive(context)) {
    const line = await readLine(context.input);
    if (line === null) throw noSecret();
    return line;
  }
  // Before the question, so that nothing of the answer is echoed.
  stdin.setRawMode?.(true);
  try {
    stderr.write(`${escapeText(question)}: `);
    return await typedLine(context.input);
  } finally {
    stdin.setRawMode?.(false);
    stderr.write("\n");
  }
}

async function typedLine(input: StandardInput): Promise<string> {
  const decoder = new TextDecoder();
  let typed: string[] = [];
  for (;;) {
    const chunk = await input.next();
    if (chunk === null) throw noSecret();
    const characters = Array.from(decoder.decode(chunk, { stream: true }));
    for (const [index, character] of characters.entries()) {
      switch (character) {
        case key.enter:
        case key.lineFeed:
          input.unread(Buffer.from(characters.slice(index + 1).join("")));
          return typed.join("");
        case key.interrupt:
          // In raw mode nobody else makes a signal of it.
          throw new Interruption("SIGINT", exitCodes.interrupted);
        case key.endOfInput:
          if (typed.length === 0) throw noSecret();
          break;
        case key.backspace:
        case key.delete:
          typed.pop();
          break;
        case key.clearLine:
          typed = [];
          break;
        default:
          typed.push(character);
      }
    }
  }
}

function noSecret(): CliError {
  return new CliError(exitCodes.failed, "Wanted a password on standard input, met its end");
}
