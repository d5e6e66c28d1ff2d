import { join } from "node:path";
import { CheckpointError, newGeneration, quote, type Batch } from "../../src/index.ts";
import {
  fileMode,
  readAt,
  readAtLater,
  syncDirectory,
  syncFile,
  withFile,
  writeFully,
  type FilePort,
} from "./file-port.ts";
import { wrapIoError } from "./io-error.ts";
import { addKeys } from "./key-index.ts";
import { endOfSeq } from "./log-reader.ts";
import { readTail } from "./log-tail.ts";
import type { OpenLog } from "./open-log.ts";
import {
  decodeRecord,
  encodeHeader,
  encodeRecords,
  formatVersion,
  lendRecords,
  newline,
  type LineRecord,
} from "./record-line.ts";
import type { ResolvedFileOptions } from "./resolve-options.ts";
import { stillOwns, type Owner } from "./session-lock.ts";

/** Bytes copied at once when a log is rewritten. */
const copyChunk = 256 * 1024;

/** An append whose owner was replaced while it was written, so that it may or may not have landed. */
export interface LostAppend {
  readonly generation: string;
  readonly offset: number;
  readonly records: readonly LineRecord[];
}

/** A log's file, and who may change it. */
export interface Place {
  readonly owner: Owner;
  readonly path: string;
}

/** The records of batches that will stand behind `seq`. */
export function placeBatches(seq: number, batches: readonly Batch[]): LineRecord[] {
  const placed: LineRecord[] = [];
  for (const { key, records } of batches) {
    let left = records.length;
    for (const { ts, payload } of records) {
      seq += 1;
      left -= 1;
      placed.push(key === undefined ? { seq, ts, left, payload } : { seq, ts, left, key, payload });
    }
  }
  return placed;
}

/**
 * Appends batches to an open log: one write, one sync, and a last look at the ownership.
 *
 * @returns null when done; what was written when another owner took over meanwhile
 * @throws the file system's error when nothing was applied; `OUTCOME_UNKNOWN` when even undoing failed
 */
export async function appendToLog(
  options: ResolvedFileOptions,
  { owner, path }: Place,
  log: OpenLog,
  batches: readonly Batch[],
  mtime: number,
): Promise<LostAppend | null> {
  const { port, syncData } = options;
  const records = placeBatches(log.seq, batches);
  let end: number;
  let spliced: boolean;
  try {
    end = log.size + lendRecords(records, (lines) => writeFully(port, log.fd, lines));
    setModified(port, log.fd, mtime);
    await syncData(log.fd);
    // More bytes than ours: somebody wrote into our file, whatever the lock says.
    spliced = port.fstatSync(log.fd).size !== end;
  } catch (error) {
    await undo(options, path, log);
    throw error;
  }
  if (spliced || !stillOwns(owner, port)) {
    return { generation: log.header.generation, offset: log.size, records };
  }
  if (log.keys !== null) addKeys(log.keys, records);
  log.size = end;
  log.seq += records.length;
  log.tail = records.at(-1) ?? log.tail;
  return null;
}

/**
 * Takes a failed append back. After a failed sync the kernel may call lost pages clean, so a sync on
 * the same descriptor would prove nothing (fsync(2), "fsyncgate"); a new one has to succeed.
 */
async function undo(options: ResolvedFileOptions, path: string, log: OpenLog): Promise<void> {
  const { port, syncData } = options;
  try {
    port.ftruncateSync(log.fd, log.size);
    await withFile(port, path, "r+", syncData);
  } catch (error) {
    throw outcomeUnknown(log.header.id, "undoing what was written failed", error);
  }
}

function outcomeUnknown(sessionId: string, detail: string, error: unknown): CheckpointError {
  return new CheckpointError(
    "OUTCOME_UNKNOWN",
    `Cannot tell whether the change to session ${quote(sessionId)} will last: ${detail}`,
    { cause: wrapIoError(error, "change", sessionId) },
  );
}

/**
 * How much of an append that lost its owner is in the log of the new one. A log ends with a whole
 * batch, so "some" means that merged batches landed in part.
 */
export function whatLanded(
  port: FilePort,
  log: OpenLog,
  lost: LostAppend,
): "all" | "some" | "none" {
  const { offset } = lost;
  const bytes = encodeRecords(lost.records);
  const found = readAt(port, log.fd, offset, bytes.length);
  if (found.equals(bytes)) return "all";
  const firstLine = bytes.indexOf(newline) + 1;
  return found.subarray(0, firstLine).equals(bytes.subarray(0, firstLine)) ? "some" : "none";
}

/** What goes into a new log behind its header. */
export type LogContent = AsyncIterable<Buffer>;

/**
 * Writes a whole new log beside the current one and puts it in its place with one rename, which is
 * the moment of the change: before it the log is the old one, afterwards the new one.
 *
 * @returns the new log, open for appending
 */
export async function replaceLog(
  options: ResolvedFileOptions,
  { owner, path }: Place,
  sessionId: string,
  content: LogContent,
  mtime: number,
): Promise<OpenLog> {
  const { port, durability, pipeline } = options;
  const temporary = join(owner.directory, `new-${newGeneration()}`);
  const fd = port.openSync(temporary, "ax+", fileMode);
  try {
    const header = encodeHeader({
      version: formatVersion,
      id: sessionId,
      generation: newGeneration(),
      pipeline,
      created: new Date(mtime).toISOString(),
    });
    writeFully(port, fd, header);
    for await (const bytes of content) writeFully(port, fd, bytes);
    setModified(port, fd, mtime);
    if (durability === "power") await syncFile(port, fd);
    const { size } = port.fstatSync(fd);
    const log = { fd, size, keys: null, ...readTail(port, fd, size, sessionId) };
    port.renameSync(temporary, path);
    await syncRename(options, sessionId);
    return log;
  } catch (error) {
    discard(port, fd, temporary);
    throw error;
  }
}

/** Best effort: what is left goes with the owner's directory, and the first error is the one to report. */
function discard(port: FilePort, fd: number, path: string): void {
  try {
    port.closeSync(fd);
    port.unlinkSync(path);
  } catch {
    return;
  }
}

/**
 * Makes a rename in the store's directory survive a power cut.
 *
 * @throws CheckpointError `OUTCOME_UNKNOWN`: the rename has happened, so readers see the change
 */
export async function syncRename(options: ResolvedFileOptions, sessionId: string): Promise<void> {
  if (options.durability !== "power") return;
  try {
    await syncDirectory(options.port, options.dir);
  } catch (error) {
    throw outcomeUnknown(sessionId, "it was applied but syncing the directory failed", error);
  }
}

/** Seq 1 to `keep` of a log. A batch that is cut ends there, and loses its key. */
export async function* keepPrefix(port: FilePort, log: OpenLog, keep: number): LogContent {
  if (keep === 0) return;
  const { fd, start, size, header } = log;
  const end = endOfSeq(port, { fd, start, end: size, sessionId: header.id }, keep);
  const cut = cutBatch(port, log, end);
  for (let position = start; position < cut.start; position += copyChunk) {
    yield await readAtLater(port, fd, position, Math.min(copyChunk, cut.start - position));
  }
  yield cut.lines;
}

/** The records at the end of a prefix whose batch goes on behind it, written anew. */
function cutBatch(port: FilePort, log: OpenLog, end: number): { start: number; lines: Buffer } {
  for (let length = copyChunk; ; length *= 4) {
    const base = Math.max(log.start, end - length);
    const bytes = readAt(port, log.fd, base, end - base);
    const records: LineRecord[] = [];
    let stop = bytes.length;
    while (stop > 0) {
      const start = stop < 2 ? 0 : bytes.lastIndexOf(newline, stop - 2) + 1;
      const record = start === 0 && base > log.start ? null : decodeRecord(bytes, start, stop - 1);
      if (record === null) break;
      if (record.left === 0) return { start: base + stop, lines: renumber(records) };
      records.unshift(record);
      stop = start;
    }
    if (stop === 0 || base === log.start) return { start: base + stop, lines: renumber(records) };
  }
}

function renumber(records: readonly LineRecord[]): Buffer {
  return encodeRecords(
    records.map(({ seq, ts, payload }, index) => ({
      seq,
      ts,
      left: records.length - 1 - index,
      payload,
    })),
  );
}

/** Microseconds are what `futimes` carries; half of one keeps its rounding down from changing them. */
function setModified(port: FilePort, fd: number, mtime: number): void {
  const seconds = (mtime + 0.000_5) / 1_000;
  port.futimesSync(fd, seconds, seconds);
}
