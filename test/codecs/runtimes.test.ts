/**
 * Goal: the codecs do the same in Bun and Deno as here. Method: the compiled portable checks, golden
 * files included, in a process of each runtime that is installed.
 */
import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { PortableReport } from "./portable-checks.ts";

const script = fileURLToPath(
  new URL("../../dist/test/codecs/run-portable-checks.js", import.meta.url),
);
const root = fileURLToPath(new URL("../../", import.meta.url));
const modules = `${root}node_modules/`;
const { BUN, DENO } = process.env;

/** Runtimes and where they may be; the environment comes first, then node_modules, then the path. */
const runtimes: ReadonlyArray<{ name: string; places: readonly string[]; args: string[] }> = [
  { name: "node", places: [process.execPath], args: [] },
  { name: "bun", places: placesOf("bun", BUN, binaries("@oven", "bin/bun")), args: [] },
  {
    name: "deno",
    places: placesOf("deno", DENO, binaries("@deno", "deno")),
    args: ["run", "--no-prompt", "--allow-read", "--cached-only"],
  },
];

function placesOf(name: string, chosen: string | undefined, installed: string[]): string[] {
  return chosen === undefined ? [...installed, name] : [chosen];
}

/**
 * Both come as a package per platform under one scope; the package above them only adds an install
 * script, which may not run.
 */
function binaries(scope: string, path: string): string[] {
  const packages = `${modules}${scope}/`;
  if (!existsSync(packages)) return [];
  return readdirSync(packages).map((name) => `${packages}${name}/${path}`);
}

/** The first place where there is something that says its version. */
function find(places: readonly string[]): { command: string; version: string } | null {
  for (const command of places) {
    const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
    if (status === 0) return { command, version: stdout.split("\n")[0] ?? "" };
  }
  return null;
}

describe.each(runtimes)("$name", ({ name, places, args }) => {
  const found = find(places);
  if (found === null) console.log(`skipped: ${name} is not installed`);

  test.skipIf(found === null)("passes every portable check", async () => {
    const { command, version } = found!;
    const { stdout } = await promisify(execFile)(command, [...args, script], { cwd: root });
    const report = JSON.parse(stdout) as PortableReport;
    console.log(`${name} ${version}: ${JSON.stringify({ ...report, faults: undefined })}`);
    expect(report.faults).toEqual([]);
    expect(report.checks).toBeGreaterThan(80);
    expect(report.synchronous).toBe(true);
  });
});
