import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { StandardInput } from "./standard-input.ts";

const newline = 0x0a;
const carriageReturn = 0x0d;

/** No password or answer is longer; what is, was not meant as one. */
const lineMaxBytes = 64 * 1024;

/**
 * One line without its end; what follows is left for the next reader.
 *
 * @returns null at the end of the input
 */
export async function readLine(input: StandardInput): Promise<string | null> {
  let line: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = await input.next();
    if (chunk === null) return line.length === 0 ? null : toText(line);
    const end = chunk.indexOf(newline);
    line = Buffer.concat([line, end < 0 ? chunk : chunk.subarray(0, end)]);
    if (line.length > lineMaxBytes) throw refuse(`is longer than ${lineMaxBytes} bytes`);
    if (end < 0) continue;
    input.unread(chunk.subarray(end + 1));
    return toText(line);
  }
}

function toText(line: Buffer): string {
  const bytes = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse("is not UTF-8");
  }
}

function refuse(detail: string): CliError {
  return new CliError(exitCodes.failed, `The first line of standard input ${detail}`);
}
