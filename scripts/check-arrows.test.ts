// Each rule is proved by breaking it: a small tree that obeys the arrows, then one bad file per rule.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const obedient = {
  "package.json": `{ "dependencies": { "commander": "1" }, "peerDependencies": { "better-sqlite3": "1" } }`,
  "src/index.ts": `export * from "./engine.ts"; type Sink = { console: string; env: { process: 1 } };`,
  "src/engine.ts": `export const engine = { log: { console: 1 } };`,
  "src/engine.test.ts": `import "node:fs"; console.log(process.env);`,
  "adapters/file/index.ts": `import "proper-lockfile"; import "node:fs"; import "../../src/index.ts"; import "./lock.ts";`,
  "adapters/file/lock.ts": `export const owner = process.pid;`,
  "adapters/sqlite/index.ts": `import { createRequire } from "node:module"; createRequire(import.meta.url)("better-sqlite3");`,
  "cli/main.ts": `import "commander"; import "../adapters/file/index.ts"; console.log(process.env["HOME"]);`,
};

let root: string;

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function check(): { status: number | null; lines: string[] } {
  const script = join(import.meta.dirname, "check-arrows.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], {
    encoding: "utf8",
  });
  return { status, lines: (stdout + stderr).trim().split("\n") };
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "arrows-"));
  write(obedient);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("check-arrows accepts a tree that obeys the arrows", () => {
  expect(check()).toEqual({ status: 0, lines: ["arrows: 6 files checked"] });
});

const src = "src may import src alone";
const file = "adapters/file may import src/index.ts, node:*, proper-lockfile, its own folder";
const memory = "adapters/memory may import src/index.ts, node:*, its own folder";
const cli = "cli may import published folders, node:* and the package's dependencies";

const disobedient: readonly [path: string, text: string, reason: string][] = [
  ["src", `import "node:fs";`, `imports node:fs; ${src}`],
  ["src", `import "fs";`, `imports fs; ${src}`],
  ["src", `import type { x } from "commander";`, `imports commander; ${src}`],
  ["src", `export * from "../cli/main.ts";`, `imports ../cli/main.ts; ${src}`],
  [
    "src",
    `await import("../adapters/file/index.ts");`,
    `imports ../adapters/file/index.ts; ${src}`,
  ],
  ["src", `type X = import("node:fs").Stats;`, `imports node:fs; ${src}`],
  ["src", `await import(name);`, "imports a computed name, which nobody can check"],
  ["src", `globalThis.console.log(1);`, "touches console; src may not"],
  ["src", `Buffer.from("");`, "touches Buffer; src may not"],
  ["src", `export const pid = process.pid;`, "touches process; src may not"],
  ["adapters/file", `import "../../src/engine.ts";`, `imports ../../src/engine.ts; ${file}`],
  ["adapters/file", `import "../sqlite/index.ts";`, `imports ../sqlite/index.ts; ${file}`],
  ["adapters/file", `import "better-sqlite3";`, `imports better-sqlite3; ${file}`],
  ["adapters/file", `import "node:process";`, `imports node:process; ${file}`],
  ["adapters/file", `console.warn(1);`, "touches console; adapters/file may not"],
  ["adapters/file", `process.env["X"];`, "touches process.env; adapters/file may not"],
  ["adapters/file", `const { env } = process;`, "touches process.env; adapters/file may not"],
  [
    "adapters/memory",
    `import { createRequire } from "node:module"; const load = createRequire("/"); load("better-sqlite3");`,
    `imports better-sqlite3; ${memory}`,
  ],
  ["cli", `import "vitest";`, `imports vitest; ${cli}`],
  ["cli", `import "../test/child.ts";`, `imports ../test/child.ts; ${cli}`],
];

test("check-arrows refuses each import and global that its table forbids, with one line each", () => {
  const named = disobedient.map(([folder, text, reason], index) => {
    const path = `${folder}/bad-${String(index).padStart(2, "0")}.ts`;
    return { path, text, line: `${path}:1 ${reason}` };
  });
  write(Object.fromEntries(named.map(({ path, text }) => [path, text])));
  expect(check()).toEqual({ status: 1, lines: named.map(({ line }) => line).sort() });
});
