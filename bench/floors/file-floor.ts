import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createTexts, type Floor, type FloorOptions } from "./floor.ts";

/** One file of lines. */
export function openFileFloor({ folder, synced }: FloorOptions): Floor {
  const file = join(folder, "bare.jsonl");
  const logs = join(folder, "logs");
  const fd = openSync(file, "a+", 0o600);
  const textOf = createTexts();
  return {
    append(events) {
      writeSync(fd, events.map((event) => `${textOf(event)}\n`).join(""));
      if (synced) fdatasyncSync(fd);
    },
    clear: () => ftruncateSync(fd),
    read: () => parseLines(readFileSync(file, "utf8")),
    readLast: (count) => parseLast(fd, count),
    fillLogs(count, event) {
      mkdirSync(logs);
      for (let index = 0; index < count; index += 1) {
        writeFileSync(join(logs, `s${index}.jsonl`), `${textOf(event)}\n`, { mode: 0o600 });
      }
    },
    list: () =>
      readdirSync(logs)
        .map((name) => ({ name, changed: statSync(join(logs, name)).mtimeMs }))
        .sort((left, right) => right.changed - left.changed).length,
    close: () => closeSync(fd),
  };
}

function parseLines(text: string): number {
  let count = 0;
  for (const line of text.split("\n")) if (line !== "" && JSON.parse(line) !== null) count += 1;
  return count;
}

/** Reads twice as much from the end until there are enough lines. */
function parseLast(fd: number, count: number): number {
  const { size } = fstatSync(fd);
  for (let length = 65_536; ; length *= 2) {
    const from = Math.max(0, size - length);
    const bytes = Buffer.alloc(size - from);
    readSync(fd, bytes, 0, bytes.length, from);
    const lines = bytes.toString("utf8").split("\n").slice(0, -1);
    // The first line may have begun further ahead.
    if (lines.length > count || from === 0) return parseLines(lines.slice(-count).join("\n"));
  }
}
