import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../shared/data/sessions", import.meta.url));

/** A file of the shared sample sessions. */
export interface SampleFile {
  /** Path below the folder, with slashes. */
  readonly name: string;
  readonly path: string;
  /** What is in it, or null when it is text that belongs to the samples but is no JSON. */
  readonly records: readonly unknown[] | null;
}

/** Every file of the shared sample sessions; null, and a line that says so, where there are none. */
export function sampleFiles(): readonly SampleFile[] | null {
  if (!existsSync(folder)) {
    console.log("skipped: ../shared/data/sessions is absent");
    return null;
  }
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({
      name: relative(folder, path).split(sep).join("/"),
      path,
      records: recordsOf(readFileSync(path, "utf8")),
    }));
}

/**
 * A reading of a file that shares no code with the kit: JSONL when every line is JSON by itself,
 * else one document, whose array is a list of records.
 */
function recordsOf(text: string): readonly unknown[] | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(parse);
  if (!values.includes(undefined) && (lines.length > 1 || !Array.isArray(values[0]))) return values;
  const whole = parse(text);
  if (whole === undefined) return null;
  return Array.isArray(whole) ? (whole as unknown[]) : [whole];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How many records are equal, key order included. */
export function countEqual(left: readonly unknown[], right: readonly unknown[]): number {
  return left.filter((one, index) => JSON.stringify(one) === JSON.stringify(right[index])).length;
}
