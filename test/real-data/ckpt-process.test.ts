/**
 * Goal: what the import and export tests show in one process holds for the published command.
 * Method: `ckpt` in a process of its own for each step, over a few files of every size and shape.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { countEqual, sampleFiles } from "./sample-files.ts";

const script = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const sampleSize = 6;
const samples = sampleFiles();
const root = mkdtempSync(join(tmpdir(), "checkpointer-ckpt-"));

afterAll(() => rmSync(root, { recursive: true }));

/** Rejects when the exit code is not 0. */
async function ckpt(store: string, ...words: string[]): Promise<string> {
  const all = [script, "--store", store, ...words];
  const { stdout } = await promisify(execFile)(process.execPath, all, { maxBuffer: 2 ** 28 });
  return stdout;
}

/** Evenly spread over the sizes, the smallest and the largest among them. */
function spread<T>(sorted: readonly T[], count: number): T[] {
  const step = (sorted.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => sorted[Math.round(index * step)] as T);
}

describe.skipIf(samples === null).each(["file", "sqlite"])("ckpt with a %s store", (scheme) => {
  const store = `${scheme}:${join(root, scheme)}`;

  it("imports, exports and verifies real sessions", async () => {
    const begin = performance.now();
    const bySize = (samples ?? [])
      .flatMap(({ path, records }) => (records === null ? [] : [{ path, records }]))
      .sort((left, right) => left.records.length - right.records.length);
    const chosen = spread(bySize, sampleSize);
    await ckpt(store, "import", ...chosen.map(({ path }) => path));
    const listed = await ckpt(store, "--json", "ls");
    const ids = listed
      .split("\n")
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { id: string }).id)
      // Most recent first, and they were imported in order.
      .reverse();
    let records = 0;
    let equal = 0;
    for (const [index, id] of ids.entries()) {
      const exported = await ckpt(store, "export", `--session=${id}`);
      const values = exported
        .split("\n")
        .slice(0, -1)
        .map((line): unknown => JSON.parse(line));
      const expected = chosen[index]?.records ?? [];
      expect(values).toHaveLength(expected.length);
      records += expected.length;
      equal += countEqual(values, expected);
    }
    await ckpt(store, "verify");
    const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
    console.log(
      `ckpt processes, ${scheme} store: ${ids.length} files, ${records} records in, ` +
        `${equal} equal, verify exit 0, ${seconds} s`,
    );
    expect(ids).toHaveLength(sampleSize);
    expect(equal).toBe(records);
  }, 180_000);
});
