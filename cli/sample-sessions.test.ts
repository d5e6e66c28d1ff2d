/**
 * Goal: real transcripts of many tools survive import and export exactly. Method: every file of the
 * shared sample sessions goes through both, and the records that come out are compared, value by
 * value, with an independent reading of the file.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { capturedRun, sharedMemory } from "./testing/captured-run.ts";

const samples = fileURLToPath(new URL("../../shared/data/sessions", import.meta.url));
const notSamples = /(^LICENSES)|(\.md$)/;

function sampleFiles(): string[] {
  if (!existsSync(samples)) {
    process.stderr.write("sample sessions are not here: import and export of them is not tested\n");
    return [];
  }
  const entries = readdirSync(samples, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const names = files.map((entry) => relative(samples, join(entry.parentPath, entry.name)));
  return names.filter((name) => !notSamples.test(name)).sort();
}

/** JSONL when every line is JSON by itself, else one document, whose array is a list of records. */
function independentRecords(text: string): unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  try {
    const values = lines.map((line): unknown => JSON.parse(line));
    if (lines.length > 1 || !Array.isArray(values[0])) return values;
  } catch {
    // Not JSONL.
  }
  const whole: unknown = JSON.parse(text);
  return Array.isArray(whole) ? whole : [whole];
}

const files = sampleFiles();

describe.skipIf(files.length === 0)("sample sessions", () => {
  it.each(files)("%s comes back equal, and a second import adds nothing", async (name) => {
    const { schemes } = sharedMemory();
    const env = { CHECKPOINTER_STORE: "memory:" };
    const words = ["import", join(samples, name), "--session", name];
    const imported = await capturedRun(words, { schemes, env });
    expect(imported).toMatchObject({ code: 0, errors: "" });

    const { out } = await capturedRun(["export", name], { schemes, env });
    const records = out
      .split("\n")
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
    const expected = independentRecords(readFileSync(join(samples, name), "utf8"));
    expect(records.length).toBeGreaterThan(0);
    expect(records).toEqual(expected);
    expect(JSON.stringify(records)).toBe(JSON.stringify(expected));

    const again = await capturedRun([...words, "--json"], { schemes, env });
    expect(JSON.parse(again.out)).toMatchObject({ records: expected.length, appended: 0 });
  });
});
