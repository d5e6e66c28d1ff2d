import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * Where a child writes down what was acknowledged. A message to the parent may still sit in a buffer
 * when a process is killed; what write(2) took is in the kernel's hands and outlives its process.
 */
export interface Ledger<T> {
  note(entry: T): void;
  close(): void;
}

export function openLedger<T>(path: string): Ledger<T> {
  const fd = openSync(path, "a");
  return {
    note: (entry) => void writeSync(fd, `${JSON.stringify(entry)}\n`),
    close: () => closeSync(fd),
  };
}

/** What a child wrote down; a line that was cut by a kill does not count. */
export function readLedger<T>(path: string): T[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}
