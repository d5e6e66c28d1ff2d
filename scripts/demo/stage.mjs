// What the demo prints: headings, the commands it runs, and claims. A claim is decided by what happened, never by what
// was expected; one that does not hold makes the demo fail.

import process from "node:process";

const colours =
  process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";
const paint = (code, text) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
const width = 100;

const claims = [];
let part = 0;

export function say(text) {
  console.log(text);
}

export function heading(text) {
  part += 1;
  console.log(`\n${paint(1, `${part}. ${text}`)}`);
}

/** A command that a reader could type. */
export function command(text) {
  console.log(paint(36, `   $ ${text}`));
}

/** Output of a command: at most `most` lines, each cut to the width of a page. */
export function output(text, most = Infinity) {
  const lines = text.split("\n").filter((line) => line !== "");
  for (const line of lines.slice(0, most)) console.log(paint(2, `     ${fit(line)}`));
  if (lines.length > most) console.log(paint(2, `     ... ${lines.length - most} lines more`));
}

/** Prints a claim with its verdict and remembers it for the summary. */
export function claim(holds, text) {
  claims.push(holds);
  console.log(`   ${holds ? paint(32, "ok    ") : paint(31, "FAILED")} ${text}`);
}

/** @returns whether every claim held */
export function summary(lines, seconds) {
  const failed = claims.filter((holds) => !holds).length;
  console.log(`\n${paint(1, "Summary")}`);
  for (const line of lines) console.log(`   ${line}`);
  const verdict =
    failed === 0
      ? paint(32, `all ${claims.length} claims above hold`)
      : paint(31, `${failed} of ${claims.length} claims above do not hold`);
  console.log(`\n   ${verdict} (${seconds.toFixed(1)} s)`);
  return failed === 0;
}

/** `1 event`, `1,204 events`. */
export function count(number, noun) {
  return `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;
}

function fit(line) {
  const characters = [...line];
  return characters.length > width ? `${characters.slice(0, width - 1).join("")}…` : line;
}
