import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CapturedRun } from "../../testing/captured-run.ts";

/** Compiled, since the suite runs in a process of its own, which runs no TypeScript. */
const dist = new URL("../../../dist/", import.meta.url);
const ckptScript = fileURLToPath(new URL("cli/main.js", dist));
const adapter = new URL("adapters/memory/index.js", dist).href;

/** A folder with fixture modules, in which `ckpt` runs as a process. */
export interface FixtureFolder {
  /** What a module here imports for the memory adapter. */
  readonly memoryAdapter: string;
  readonly path: (name: string) => string;
  readonly read: (name: string) => string;
  readonly write: (name: string, text: string) => void;
  /**
   * A fixture module whose store is a memory store and `wrap`, the text of a function that gets its
   * handle and gives the one that is certified. `dir` is this folder in it.
   */
  readonly addFixture: (name: string, wrap?: string) => string;
  readonly start: (words: readonly string[]) => StartedRun;
  readonly run: (words: readonly string[]) => Promise<CapturedRun>;
  /** What is left in the folder for temporary files. */
  readonly leftovers: () => readonly string[];
  readonly remove: () => void;
}

/** A run that may be interrupted. */
interface StartedRun {
  readonly child: ChildProcess;
  readonly ended: Promise<CapturedRun>;
}

export function fixtureFolder(): FixtureFolder {
  const folder = mkdtempSync(join(tmpdir(), "ckpt-fixtures-"));
  const path = (name: string): string => join(folder, name);
  const temporary = path("tmp");
  mkdirSync(temporary);

  function start(words: readonly string[]): StartedRun {
    const env = { ...process.env, TMPDIR: temporary };
    const child = spawn(process.execPath, [ckptScript, ...words], { cwd: folder, env });
    let [out, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    const ended = new Promise<CapturedRun>((resolve) => {
      child.on("close", (code) => resolve({ code: code ?? -1, out, errors }));
    });
    return { child, ended };
  }

  return {
    memoryAdapter: adapter,
    path,
    read: (name) => readFileSync(path(name), "utf8"),
    write: (name, text) => writeFileSync(path(name), text),
    addFixture(name, wrap = "(handle) => handle") {
      const code = `
        import { writeFileSync } from "node:fs";
        import { memoryCheckpointer } from ${JSON.stringify(adapter)};
        const dir = ${JSON.stringify(folder)};
        const wrap = ${wrap};
        export function createFixture() {
          const inner = memoryCheckpointer();
          const handle = wrap(inner);
          return { name: "wrapped", open: () => handle, dispose: () => inner.close() };
        }`;
      writeFileSync(path(name), code);
      return `./${name}`;
    },
    start,
    run: (words) => start(words).ended,
    leftovers: () => readdirSync(temporary),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
