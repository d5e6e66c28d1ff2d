import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText } from "../output/escape.ts";

/** A place in a file, both counted from 1; bytes within the line. */
export interface Position {
  readonly line: number;
  readonly byte: number;
}

/** The bytes of one record and where they start in the file. */
export interface Span {
  readonly bytes: Uint8Array;
  readonly start: Position;
}

const newline = 0x0a;

/** The position `offset` bytes into a span. */
export function positionIn({ bytes, start }: Span, offset: number): Position {
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, offset);
  const last = before.lastIndexOf(newline);
  if (last < 0) return { line: start.line, byte: start.byte + offset };
  let line = start.line;
  for (let at = before.indexOf(newline); at >= 0; at = before.indexOf(newline, at + 1)) line += 1;
  return { line, byte: offset - last };
}

/** The error for input that cannot be imported: `line 3, byte 17: not UTF-8`. */
export function inputError({ line, byte }: Position, fault: string): CliError {
  return new CliError(exitCodes.failed, `line ${line}, byte ${byte}: ${escapeText(fault)}`);
}

/** The same where only the line, or the line the record begins at, is known. */
export function inputErrorSomewhere({ bytes, start }: Span, fault: string): CliError {
  const where = bytes.includes(newline)
    ? `in the record from line ${start.line}`
    : `line ${start.line}`;
  return new CliError(exitCodes.failed, `${where}: ${escapeText(fault)}`);
}
