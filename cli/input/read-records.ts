import { CliError } from "../cli-error.ts";
import { createCollector } from "./collector.ts";
import { decodeRecord } from "./decode-record.ts";
import { positionIn, type Span } from "./position.ts";
import { skipByteOrderMark } from "./skip-byte-order-mark.ts";
import { sniffFormat, type RecordFormat } from "./sniff-format.ts";
import { splitArray } from "./split-array.ts";
import { splitLines } from "./split-lines.ts";
import { isSpace } from "./white-space.ts";

/** A record of an input file. */
export interface InputRecord {
  readonly value: unknown;
  /** Bytes it takes in the file. */
  readonly size: number;
  /** Line it starts at. */
  readonly line: number;
}

/** Options of {@link readRecords}. */
export interface ReadRecordsOptions {
  /** Take every line as a record, whatever the content looks like. */
  readonly lines: boolean;
  /** Take numbers that JavaScript rounds, rounded. */
  readonly allowRounding: boolean;
}

/**
 * The records of a stream of JSON, in order, in memory for one record at a time.
 *
 * @throws CliError at the first record that cannot be taken exactly, after all records before it
 */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadRecordsOptions,
): AsyncGenerator<InputRecord> {
  const { lines, allowRounding } = options;
  const sniffed = await sniffFormat(skipByteOrderMark(bytes));
  const format = lines ? "lines" : sniffed.format;
  for await (const span of spans[format](sniffed.chunks)) {
    const value = decode(span, format, allowRounding);
    yield { value, size: span.bytes.length, line: lineOf(span) };
  }
}

const spans = { lines: splitLines, array: splitArray, document: splitDocument };

/** All of a stream as one span. */
async function* splitDocument(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Span> {
  const start = { line: 1, byte: 1 };
  const collector = createCollector();
  for await (const chunk of chunks) collector.add(chunk, start);
  yield { bytes: collector.take(), start };
}

/** The white space in front of an array's element belongs to its span, but not to its line. */
function lineOf(span: Span): number {
  const begin = span.bytes.findIndex((byte) => !isSpace(byte));
  return positionIn(span, Math.max(0, begin)).line;
}

function decode(span: Span, format: RecordFormat, allowRounding: boolean): unknown {
  try {
    return decodeRecord(span, { allowRounding });
  } catch (error) {
    if (format !== "document" || !(error instanceof CliError)) throw error;
    // Somebody whose JSONL has a torn first line would wonder why all of it was one document.
    const detail = `${error.message}; taken as one document, for the first line alone is not JSON`;
    throw new CliError(error.exitCode, detail);
  }
}
