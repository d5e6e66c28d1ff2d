import { CorruptLogError, type RecordRange, type StoredRecord } from "../../src/index.ts";
import { readAt, readAtLater, type FilePort } from "./file-port.ts";
import { findLineBefore } from "./line-search.ts";
import { classifyRest } from "./log-tail.ts";
import { decodeRecord, newline, peekSeq, type LineRecord } from "./record-line.ts";

/** Bytes of the first read, enough for most whole logs, and of each later one. */
const firstChunk = 64 * 1024;
const laterChunk = 512 * 1024;

/** The part of an open log that a read looks at; bytes before `end` never change. */
export interface LogView {
  readonly fd: number;
  readonly sessionId: string;
  /** Offset of the first record's line. */
  readonly start: number;
  /** Offset behind the last whole batch, or behind everything when the end is damaged. */
  readonly end: number;
}

/** A run of bytes that starts where a line starts. */
interface Chunk {
  readonly bytes: Buffer;
  /** Offset of `bytes` in the file. */
  readonly base: number;
}

/** Pages of records in seq order. Damage is thrown after every record before it. */
export async function* readForwards(
  port: FilePort,
  view: LogView,
  range: RecordRange,
): AsyncGenerator<StoredRecord[], void, void> {
  const wanted = range.sinceSeq + 1;
  const from = findLineBefore(port, view.fd, view.start, view.end, wanted);
  let batch: LineRecord[] = [];
  let delivered = 0;
  for await (const lines of linesForwards(port, view, from)) {
    const page: StoredRecord[] = [];
    for (const record of lines.records) {
      if (record.left !== 0 || batch.length > 0) batch.push(record);
      if (record.left !== 0) continue;
      // A batch becomes visible with its last record.
      const whole: readonly StoredRecord[] = batch.length > 0 ? batch : [record];
      batch = [];
      for (const one of whole) {
        if (one.seq < wanted) continue;
        if (one.seq > range.untilSeq || delivered === range.limit) {
          if (page.length > 0) yield page;
          return;
        }
        page.push(one);
        delivered += 1;
      }
    }
    if (page.length > 0) yield page;
    if (lines.damage !== null) throw lines.damage;
  }
}

/** Pages of records in descending seq order. */
export async function* readBackwards(
  port: FilePort,
  view: LogView,
  range: RecordRange,
): AsyncGenerator<StoredRecord[], void, void> {
  let end = view.end;
  if (range.untilSeq < Number.MAX_SAFE_INTEGER) {
    end = endOfSeq(port, view, range.untilSeq);
  }
  let delivered = 0;
  let expected: number | null = null;
  for await (const { bytes, base } of chunksBackwards(port, view, end)) {
    const page: StoredRecord[] = [];
    let done = false;
    for (let stop = bytes.length; stop > 0 && !done;) {
      // Only the very last line of a log can lack its newline.
      const lineEnd = bytes[stop - 1] === newline ? stop - 1 : stop;
      const start = lineEnd === 0 ? 0 : bytes.lastIndexOf(newline, lineEnd - 1) + 1;
      const record = decodeRecord(bytes, start, lineEnd);
      if (record === null || (expected !== null && record.seq !== expected)) {
        if (page.length > 0) yield page;
        const met = record === null ? "the line is damaged" : `found seq ${record.seq}`;
        throw new CorruptLogError(
          view.sessionId,
          expected ?? peekSeq(bytes, start),
          base + start,
          met,
        );
      }
      expected = record.seq - 1;
      done = record.seq <= range.sinceSeq || delivered === range.limit;
      if (!done && record.seq <= range.untilSeq) {
        page.push(record);
        delivered += 1;
      }
      stop = start;
    }
    if (page.length > 0) yield page;
    if (done || delivered === range.limit) return;
  }
}

interface Lines {
  readonly records: LineRecord[];
  readonly damage: CorruptLogError | null;
}

async function* linesForwards(
  port: FilePort,
  view: LogView,
  from: number,
): AsyncGenerator<Lines, void, void> {
  let expected = from === view.start ? 1 : null;
  for await (const { bytes, base } of chunksForwards(port, view, from)) {
    const records: LineRecord[] = [];
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(newline, start);
      if (end === -1) break;
      const record = decodeRecord(bytes, start, end);
      if (record === null || (expected !== null && record.seq !== expected)) {
        const met = record === null ? "the line is damaged" : `found seq ${record.seq}`;
        yield {
          records,
          damage: new CorruptLogError(
            view.sessionId,
            expected ?? peekSeq(bytes, start),
            base + start,
            met,
          ),
        };
        return;
      }
      records.push(record);
      expected = record.seq + 1;
      start = end + 1;
    }
    let damage: CorruptLogError | null = null;
    if (start < bytes.length) {
      // The end of the log; what is unfinished there was never acknowledged.
      try {
        const rest = classifyRest(bytes, start, base, view.sessionId);
        if (rest !== null) records.push(rest.record);
      } catch (error) {
        damage = error as CorruptLogError;
      }
    }
    yield { records, damage };
  }
}

/** Chunks of whole lines; only the last one may end without a newline. */
async function* chunksForwards(
  port: FilePort,
  { fd, end }: LogView,
  from: number,
): AsyncGenerator<Chunk, void, void> {
  let base = from;
  let length = firstChunk;
  while (base < end) {
    const wanted = Math.min(length, end - base);
    const bytes =
      wanted <= firstChunk
        ? readAt(port, fd, base, wanted)
        : await readAtLater(port, fd, base, wanted);
    if (bytes.length === 0) return;
    const whole = bytes.lastIndexOf(newline) + 1;
    const atEnd = base + bytes.length >= end || bytes.length < wanted;
    if (whole === 0 && !atEnd) {
      // One line is longer than the chunk.
      length *= 2;
      continue;
    }
    yield { bytes: atEnd ? bytes : bytes.subarray(0, whole), base };
    base += atEnd ? bytes.length : whole;
    length = laterChunk;
  }
}

/** Chunks that start where a line starts, from the end to the beginning. */
async function* chunksBackwards(
  port: FilePort,
  { fd, start }: LogView,
  end: number,
): AsyncGenerator<Chunk, void, void> {
  let stop = end;
  let length = firstChunk;
  while (stop > start) {
    const from = Math.max(start, stop - length);
    const wanted = stop - from;
    const bytes =
      wanted <= firstChunk
        ? readAt(port, fd, from, wanted)
        : await readAtLater(port, fd, from, wanted);
    const firstLine = from === start ? 0 : bytes.indexOf(newline) + 1;
    if (from !== start && (firstLine === 0 || firstLine === bytes.length)) {
      length *= 2;
      continue;
    }
    yield { bytes: bytes.subarray(firstLine), base: from + firstLine };
    stop = from + firstLine;
    length = laterChunk;
  }
}

/** Offset behind the line of `seq`, or the end of the view when the log is shorter. */
export function endOfSeq(port: FilePort, view: LogView, seq: number): number {
  let position = findLineBefore(port, view.fd, view.start, view.end, seq);
  let length = firstChunk;
  while (position < view.end) {
    const bytes = readAt(port, view.fd, position, Math.min(length, view.end - position));
    let start = 0;
    for (;;) {
      const next = peekSeq(bytes, start);
      if (next !== null && next > seq) return position + start;
      const end = bytes.indexOf(newline, start);
      if (end === -1) break;
      start = end + 1;
    }
    if (position + bytes.length >= view.end) return view.end;
    // Either one line is longer than the window, or the search goes on behind the last whole one.
    if (start === 0) length *= 2;
    position += start;
  }
  return view.end;
}
