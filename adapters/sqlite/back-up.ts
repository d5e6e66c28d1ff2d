import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { CheckpointError, quote } from "../../src/index.ts";
import type { Connection } from "./connection.ts";
import type { OpenDatabase } from "./load-driver.ts";

/** Pages that one step copies; the event loop runs between steps. */
const stepPages = 256;

/**
 * Copies the database as it is at this moment into one file, through SQLite's backup API and while
 * others go on writing. A second connection holds the moment: without it every commit of another
 * process would start the copy over.
 *
 * The copy appears under its name when it is complete. A file of that name is replaced, unless a
 * write-ahead log or journal beside it says that it is in use.
 *
 * @see https://www.sqlite.org/backup.html
 */
export async function backUp(
  open: OpenDatabase,
  { database, file }: Connection,
  destination: string,
): Promise<void> {
  await requireUnused(destination, file?.file);
  const partial = `${destination}.${randomBytes(6).toString("hex")}.partial`;
  const source = file === null ? database : open(file.file, { timeout: 0, readonly: true });
  try {
    if (source !== database) source.exec("BEGIN; SELECT id FROM sessions LIMIT 1");
    await fs.writeFile(partial, "", { flag: "wx", mode: 0o600 });
    await source.backup(partial, { progress: () => stepPages });
    await syncFile(partial);
    await fs.rename(partial, destination);
  } finally {
    if (source !== database) source.close();
    await fs.rm(partial, { force: true });
  }
}

async function requireUnused(destination: string, file: string | undefined): Promise<void> {
  if (path.resolve(destination) === file) throw inUse(destination);
  for (const suffix of ["-wal", "-journal"]) {
    const side = await fs.stat(destination + suffix).catch(() => undefined);
    if (side !== undefined) throw inUse(destination);
  }
}

function inUse(destination: string): CheckpointError {
  const detail = "a database of that name is in use";
  return new CheckpointError("IO_FAILED", `Cannot back up to ${quote(destination)}: ${detail}`);
}

async function syncFile(file: string): Promise<void> {
  const handle = await fs.open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
