import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";

/** Root of the repository. */
export const root: string = resolve(import.meta.dirname, "../..");

/** A folder in which the package is installed, `ckpt` included, and a transcript lies ready. */
export interface Workshop {
  readonly folder: string;
  /** Runs TypeScript in a process of its own and gives back what it printed. */
  readonly runTypeScript: (name: string, code: string) => Promise<string>;
  /** Runs a command line in a shell. Rejects unless it exits with 0. */
  readonly runShell: (command: string) => Promise<string>;
  /** The same for one that never ends: interrupts it after its first output. */
  readonly interruptShell: (command: string, exports: string) => Promise<string>;
}

/** What examples may count on: `transcript.jsonl`, a record a line. */
const transcript = [
  { type: "user", content: "Why is the build red?", origin: "input" },
  { type: "tool_started", callId: "call_1", name: "run_tests", input: {} },
  { type: "tool_result", callId: "call_1", output: "1 failed", isError: true },
  { type: "assistant", content: "The date test fails. I fixed the time zone." },
];

export function createWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), "checkpointer-readme-"));
  const packages = join(folder, "node_modules");
  const commands = join(packages, ".bin");
  mkdirSync(commands, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  symlinkSync(root, join(packages, "checkpointer-kit"));
  for (const name of ["better-sqlite3", "@types"]) {
    symlinkSync(join(root, "node_modules", name), join(packages, name));
  }
  const script = `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/cli/main.js")}" "$@"\n`;
  writeFileSync(join(commands, "ckpt"), script, { mode: 0o755 });
  const lines = transcript.map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(join(folder, "transcript.jsonl"), lines.join(""));

  const PATH = `${commands}${delimiter}${process.env["PATH"] ?? ""}`;
  const options = { cwd: folder, env: { ...process.env, PATH } };

  async function run(file: string, words: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(file, words, options);
    return stdout;
  }

  async function interrupt(command: string, exports: string): Promise<string> {
    const child = spawn("sh", ["-c", `${exports}exec ${command}`], options);
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      child.kill("SIGINT");
    });
    const [code] = (await once(child, "close")) as [number | null];
    if (code === 130) return printed;
    throw new Error(`${command} ended with ${code}, wanted 130 after Ctrl-C`);
  }

  return {
    folder,
    async runTypeScript(name, code) {
      const { outputText } = ts.transpileModule(code, {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      });
      const file = join(folder, `${name}.mjs`);
      writeFileSync(file, outputText);
      return run(process.execPath, [file]);
    },
    runShell: (command) => run("sh", ["-c", command]),
    interruptShell: interrupt,
  };
}
