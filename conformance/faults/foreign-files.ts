import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What other programs, editors and crashes leave in a folder. */
const strays = ["notes.txt", ".DS_Store", "s.tmp", "s~", "s.bak", ".s.swp", "core", "desktop.ini"];

/** Puts files into a store's folder that are none of its own. */
export function addForeignFiles(directory: string): void {
  for (const name of strays) writeFileSync(join(directory, name), "not a session\n");
  writeFileSync(join(directory, "empty"), "");
  mkdirSync(join(directory, "a folder"));
  writeFileSync(join(directory, "a folder", "inside"), "not a session\n");
}
