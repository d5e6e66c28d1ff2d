import type { Io, OutputStream } from "../context.ts";

/** Colours, or nothing where they are not wanted. */
export interface Style {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly type: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** Colours only on a terminal, and there not when NO_COLOR (no-color.org) says so. */
export function styleFor(stream: OutputStream, env: Io["env"]): Style {
  const noColor = env["NO_COLOR"];
  const wanted = (noColor === undefined || noColor === "") && env["TERM"] !== "dumb";
  return stream.isTTY === true && wanted ? coloured : plain;
}

const coloured: Style = {
  dim: sgr(2, 22),
  bold: sgr(1, 22),
  type: sgr(36, 39),
  good: sgr(32, 39),
  bad: sgr(31, 39),
};

/** Not `util.styleText`, which in some versions looks at the process's own streams. */
function sgr(on: number, off: number): (text: string) => string {
  return (text) => `\u001b[${on}m${text}\u001b[${off}m`;
}

const same = (text: string): string => text;

const plain: Style = { dim: same, bold: same, type: same, good: same, bad: same };
