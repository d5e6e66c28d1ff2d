import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Golden } from "./golden.ts";

/** Where the golden files are, seen from this file and from its compiled form alike. */
const root = import.meta.url.includes("/dist/") ? "../../../" : "../../";

/** Folder of the golden files. */
export const goldenFolder: string = fileURLToPath(
  new URL(`${root}conformance/vectors/`, import.meta.url),
);

/** Every golden file of records, by name. */
export function goldenFiles(): ReadonlyArray<readonly [name: string, golden: Golden]> {
  return readdirSync(goldenFolder)
    .filter((name) => name.endsWith(".json") && !name.startsWith("sealed-log"))
    .sort()
    .map((name) => [name, JSON.parse(readFileSync(goldenFolder + name, "utf8")) as Golden]);
}
