import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { SideError } from "./side-error.ts";

/** Where and how a package is installed. */
export interface InstallOptions {
  /** What messages call the side. */
  readonly name: string;
  /** An existing folder; the package gets one of its own in it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const flags = ["--no-save", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];

/**
 * Installs a packed package, without running any script of it, and lends it the SQLite driver of this
 * process: it need not be compiled, and both sides have the same.
 *
 * @returns the folder of the installed package
 * @throws SideError where npm cannot; the signal's reason
 */
export async function installPackage(path: string, options: InstallOptions): Promise<string> {
  const { name, folder, env, signal } = options;
  const project = join(folder, name);
  const modules = join(project, "node_modules");
  await mkdir(modules, { recursive: true });
  await writeFile(join(project, "package.json"), `{ "private": true }\n`);
  try {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    await promisify(execFile)(npm, ["install", ...flags, path], { cwd: project, env, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new SideError(name, `npm cannot install it: ${npmMessage(error)}`);
  }
  await lendDriver(modules);
  return findInstalled(name, modules);
}

/** What npm says in the end is where its log is; the reason comes first. */
function npmMessage(error: unknown): string {
  const { stderr = "", message } = error as { stderr?: string; message: string };
  const lines = stderr.split("\n").map((line) => line.replace(/^npm (?:error|ERR!) ?/, "").trim());
  const told = lines.filter((line) => line !== "" && !/^(?:code|errno|syscall|path) /.test(line));
  return told[0] ?? message;
}

/** A package that uses it asks for it itself where there is none to lend. */
async function lendDriver(modules: string): Promise<void> {
  let manifest: string;
  try {
    manifest = createRequire(import.meta.url).resolve("better-sqlite3/package.json");
  } catch {
    return;
  }
  await symlink(dirname(manifest), join(modules, "better-sqlite3"), "junction");
}

/** The one package that was asked for is the one that exports adapters. */
async function findInstalled(name: string, modules: string): Promise<string> {
  for (const entry of await readdir(modules)) {
    const root = join(modules, entry);
    const text = await readFile(join(root, "package.json"), "utf8").catch(() => "{}");
    const { exports } = JSON.parse(text) as { exports?: object | string };
    if (typeof exports === "object" && "./adapters/memory" in exports) return root;
  }
  throw new SideError(name, "the package exports no adapters/memory: it is no checkpointer-kit");
}
