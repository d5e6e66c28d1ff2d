import { CheckpointError, CorruptLogError, quote, type StoredRecord } from "../../src/index.ts";
import { readAt, type FilePort } from "./file-port.ts";
import { decodeHeader, decodeRecord, formatVersion, newline, peekSeq } from "./record-line.ts";
import type { LineRecord, LogHeader } from "./record-line.ts";

/** The beginning and the end of an open log. */
export interface LogTail {
  readonly header: LogHeader;
  /** Offset of the first record's line. */
  readonly start: number;
  /** Offset behind the last whole batch. What follows was never acknowledged. */
  readonly end: number;
  /** The last record is complete but lacks its newline, which the next append must write first. */
  readonly newlineMissing: boolean;
  /** Last seq of the last whole batch; 0 when the log is empty. */
  readonly seq: number;
  readonly tail: StoredRecord | null;
}

/** A header holds an id of at most 512 bytes, each escaped to at most six characters. */
const headerMaxBytes = 4_096;

/** First look at the end of a log; doubled until it holds the last whole batch. */
const firstWindow = 4_096;

/**
 * The header of a log.
 *
 * @throws CorruptLogError when the first line is damaged; CheckpointError `UNSUPPORTED_FORMAT` when it
 * is of a newer version, or not ours
 */
export function readHeader(
  port: FilePort,
  fd: number,
  sessionId: string,
): { header: LogHeader; start: number } {
  const bytes = readAt(port, fd, 0, headerMaxBytes);
  const end = bytes.indexOf(newline);
  const header = end === -1 ? null : decodeHeader(bytes, end);
  if (header === null) {
    if (looksLikeLog(bytes)) {
      throw new CorruptLogError(sessionId, null, 0, "the header line is damaged");
    }
    throw unsupported(sessionId, "a file that is not a log");
  }
  if (header.version !== formatVersion) {
    throw unsupported(sessionId, `format version ${header.version}`);
  }
  if (header.id !== sessionId) {
    throw new CorruptLogError(sessionId, null, 0, "the header names another session");
  }
  return { header, start: end + 1 };
}

/** Whether bytes that hold no valid header once were one of ours; a flipped byte hides no log. */
function looksLikeLog(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  return text.includes("checkpointer-kit/log") || text.includes('"generation":"');
}

/**
 * Finds the last whole batch from the end, in time that depends on its size and not on the log's.
 *
 * An unfinished end is what a crash leaves: bytes without a newline that are no record, NUL padding,
 * or records whose batch lacks its last ones. Anything else is damage.
 *
 * @throws as `readHeader`, and CorruptLogError when the last line is damaged
 */
export function readTail(port: FilePort, fd: number, size: number, sessionId: string): LogTail {
  const { header, start } = readHeader(port, fd, sessionId);
  for (let length = firstWindow; ; length *= 4) {
    const base = Math.max(start, size - length);
    const bytes = readAt(port, fd, base, size - base);
    const found = scanBack(bytes, base, base === start, sessionId);
    if (found !== null) return { header, start, ...found };
  }
}

type Found = Pick<LogTail, "end" | "newlineMissing" | "seq" | "tail">;

/**
 * Walks back over lines that belong to an unfinished batch.
 *
 * @param whole - whether the window starts with the first record
 * @returns null when the window does not reach back far enough
 */
function scanBack(bytes: Buffer, base: number, whole: boolean, sessionId: string): Found | null {
  const rest = bytes.lastIndexOf(newline) + 1;
  const last = classifyRest(bytes, rest, base, sessionId);
  if (last?.record.left === 0) {
    const { record, end } = last;
    if (!follows(bytes, base, rest, whole, record.seq, sessionId)) return null;
    return { end: base + end, newlineMissing: true, seq: record.seq, tail: record };
  }
  let end = rest;
  while (end > 0) {
    const start = end < 2 ? 0 : bytes.lastIndexOf(newline, end - 2) + 1;
    if (start === 0 && !whole) return null;
    const record = decodeRecord(bytes, start, end - 1);
    if (record === null) {
      const seq = peekSeq(bytes, start);
      throw new CorruptLogError(sessionId, seq, base + start, "the line is damaged");
    }
    if (record.left === 0) {
      if (!follows(bytes, base, start, whole, record.seq, sessionId)) return null;
      return { end: base + end, newlineMissing: false, seq: record.seq, tail: record };
    }
    end = start;
  }
  return whole ? { end: base, newlineMissing: false, seq: 0, tail: null } : null;
}

/**
 * Checks that the line before the one at `start` has the seq before, so that a lost, doubled or
 * swapped last line is noticed before anything is appended behind it.
 *
 * @returns false when the window does not reach back to that line
 */
function follows(
  bytes: Buffer,
  base: number,
  start: number,
  whole: boolean,
  seq: number,
  sessionId: string,
): boolean {
  let before: number | null = 0;
  if (start > 0) {
    const line = start < 2 ? 0 : bytes.lastIndexOf(newline, start - 2) + 1;
    if (line === 0 && !whole) return false;
    before = peekSeq(bytes, line);
  } else if (!whole) return false;
  if (before === seq - 1) return true;
  const detail = `the line before it has ${before === null ? "no seq" : `seq ${before}`}`;
  throw new CorruptLogError(sessionId, seq, base + start, detail);
}

/**
 * Judges the bytes behind the last newline.
 *
 * @returns the record that only lacks its newline, or null when they are unfinished or nothing
 */
export function classifyRest(
  bytes: Buffer,
  start: number,
  base: number,
  sessionId: string,
): { record: LineRecord; end: number } | null {
  let end = bytes.length;
  while (end > start && bytes[end - 1] === 0) end -= 1;
  const record = decodeRecord(bytes, start, end);
  if (record !== null) return { record, end };
  // A torn write can leave a record short, never one byte too long: this was its newline.
  if (end === bytes.length && decodeRecord(bytes, start, end - 1) !== null) {
    const seq = peekSeq(bytes, start);
    throw new CorruptLogError(sessionId, seq, base + end - 1, "the newline is damaged");
  }
  return null;
}

function unsupported(sessionId: string, met: string): CheckpointError {
  return new CheckpointError(
    "UNSUPPORTED_FORMAT",
    `Cannot use session ${quote(sessionId)}: wanted a log of format version ${formatVersion}, ` +
      `met ${met}; nothing was changed`,
  );
}
