import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname } from "node:path";
import { CheckpointError, CorruptLogError, type StoredRecord } from "../../src/index.ts";
import type { Defects } from "./defects.ts";

/** What one line holds: the records of one change. The first line of a file names its session. */
interface Line {
  readonly id?: string;
  readonly generation?: string;
  readonly records: readonly StoredRecord[];
  readonly mtime: number;
}

/** A log as its file tells. */
export interface Log {
  readonly id: string;
  readonly generation: string;
  readonly records: readonly StoredRecord[];
  readonly mtime: number;
  /** Bytes of whole lines; behind them is what a crash has left. */
  readonly end: number;
  /** What follows the records, if it is neither an end nor a torn one. */
  readonly damage: CorruptLogError | null;
}

/** Reads a file; null where there is none, or nothing whole in it. */
export function readLog(path: string, defects: Defects): Log | null {
  const bytes = contentOf(path);
  if (bytes === null) return null;
  const records: StoredRecord[] = [];
  let first: Line | null = null;
  let mtime = 0;
  let end = 0;
  let damage: CorruptLogError | null = null;
  while (end < bytes.length) {
    const newline = bytes.indexOf(10, end);
    const next = newline === -1 ? bytes.length : newline + 1;
    const line = newline === -1 ? null : parse(bytes.subarray(end, newline));
    const seq = line?.records[0]?.seq ?? records.length + 1;
    const fits = line !== null && seq === records.length + 1;
    if (!fits && defects.skipsBadLines !== true) {
      // Behind the last whole line stands what a crash left; whatever ends with a line is damage.
      const torn = newline === -1;
      const silent = torn || defects.stopsAtBadLines === true;
      if (!silent)
        damage = new CorruptLogError(first?.id ?? "", records.length + 1, end, "bad line");
      break;
    }
    if (line !== null && fits) {
      first ??= line;
      records.push(...line.records);
      mtime = line.mtime;
    }
    end = next;
  }
  const { id, generation } = first ?? {};
  if (id === undefined || generation === undefined) {
    if (damage !== null) throw damage;
    return null;
  }
  return { id, generation, records, mtime, end, damage };
}

/** The text of a line. */
export function lineOf(line: Line): string {
  const json = JSON.stringify(line);
  return `${digestOf(json)} ${json}\n`;
}

/** Appends text behind the whole lines of a file, and syncs it. */
export function appendText(path: string, end: number, text: string, defects: Defects): void {
  const fd = fs.openSync(path, "r+");
  try {
    const size = fs.fstatSync(fd).size;
    if (size > end && defects.joinsTornTail !== true) fs.ftruncateSync(fd, end);
    write(fd, text, defects.joinsTornTail === true ? size : end, defects);
    sync(fd, defects);
  } finally {
    fs.closeSync(fd);
  }
}

/** Puts a whole file in place. */
export function replaceFile(path: string, text: string, defects: Defects): void {
  const inPlace = defects.truncatesInPlace === true && fs.existsSync(path);
  const target = inPlace ? path : `${path}.new`;
  const fd = fs.openSync(target, "w", 0o600);
  try {
    write(fd, text, 0, defects);
    sync(fd, defects);
  } finally {
    fs.closeSync(fd);
  }
  if (!inPlace) fs.renameSync(target, path);
  syncFolder(path, defects);
}

/** Removes a file. */
export function removeFile(path: string, defects: Defects): void {
  if (!fs.existsSync(path)) return;
  if (defects.deletesInTwoSteps === true) {
    const log = readLog(path, defects);
    if (log !== null) {
      const { id, generation } = log;
      replaceFile(path, lineOf({ id, generation, records: [], mtime: log.mtime }), defects);
    }
  }
  fs.unlinkSync(path);
  syncFolder(path, defects);
}

function parse(bytes: Buffer): Line | null {
  const text = bytes.toString();
  const json = text.slice(9);
  if (text.slice(0, 8) !== digestOf(json)) return null;
  try {
    return JSON.parse(json) as Line;
  } catch {
    return null;
  }
}

function digestOf(json: string): string {
  return createHash("sha256").update(json).digest("hex").slice(0, 8);
}

function contentOf(path: string): Buffer | null {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function write(fd: number, text: string, position: number, { swallowsWriteErrors }: Defects): void {
  const bytes = Buffer.from(text);
  try {
    for (let written = 0; written < bytes.length;) {
      written += fs.writeSync(fd, bytes, written, bytes.length - written, position + written);
    }
  } catch (error) {
    if (swallowsWriteErrors !== true) throw error;
  }
}

function sync(fd: number, { neverSyncs, syncsAgain, syncsLater }: Defects): void {
  if (neverSyncs === true) return;
  if (syncsLater === true) {
    setImmediate(() => fs.fsync(fd, () => undefined));
    return;
  }
  try {
    fs.fsyncSync(fd);
  } catch {
    if (syncsAgain === true) fs.fsyncSync(fd);
    // Part of it may have reached the disk, and a second sync would not tell.
    else throw new CheckpointError("OUTCOME_UNKNOWN", "the sync failed");
  }
}

function syncFolder(path: string, defects: Defects): void {
  if (defects.forgetsDirectories === true) return;
  const fd = fs.openSync(dirname(path), "r");
  try {
    sync(fd, defects);
  } finally {
    fs.closeSync(fd);
  }
}
