import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { createContext } from "../context.ts";
import { storeSchemes } from "../open-store.ts";
import { createProgram } from "../program.ts";

const examples = new URL("../../examples/ci/", import.meta.url);

/** The words behind every `npx ckpt` of a file, whose lines may go on behind a backslash or folded. */
function callsIn(name: string): ReadonlyArray<readonly string[]> {
  const text = readFileSync(new URL(name, examples), "utf8").replaceAll(/\\?\n\s+(?=--)/g, " ");
  const calls = [...text.matchAll(/npx ckpt (.*)/g)];
  return calls.map(([, words = ""]) => words.trim().split(/\s+/));
}

/** What of a call the tool does not have. */
function unknownIn(words: readonly string[]): readonly string[] {
  const { stdin, stdout, stderr } = process;
  const { signal } = new AbortController();
  let command: Command = createProgram(
    createContext({ stdin, stdout, stderr, env: {}, signal }, storeSchemes),
  );
  const flags = new Set(["--help"]);
  const unknown: string[] = [];
  let isNamed = true;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    const byDefault = command.commands.find((one) => one.name() === "run");
    if (isNamed && next !== undefined) command = next;
    else if (isNamed && byDefault !== undefined) command = byDefault;
    else isNamed = false;
    for (const { long } of command.options) flags.add(long ?? "");
    if (word.startsWith("--") && !flags.has(word)) unknown.push(word);
  }
  if (command.parent === null) unknown.push(words[0] ?? "");
  return unknown;
}

it.each(["gate.sh", "conformance.yml"])("%s calls commands with options that there are", (name) => {
  const calls = callsIn(name);
  expect(calls.map(([first, second]) => `${first} ${second}`)).toEqual([
    "certify ./fixture.js",
    "bench ./fixture.js",
    "bench gate",
  ]);
  expect(calls.flatMap(unknownIn)).toEqual([]);
});

it("a call of something that is not there would be noticed", () => {
  expect(unknownIn(["certify", "./fixture.js", "--absent"])).toEqual(["--absent"]);
  expect(unknownIn(["absent"])).toEqual(["absent"]);
});
