import { maxRecordBytes } from "./collector.ts";
import { isSpace } from "./white-space.ts";

/** `lines`: every line is a record. `array`: every element is. `document`: all of it is one. */
export type RecordFormat = "lines" | "array" | "document";

/** What a stream turned out to be, and the stream, still complete. */
export interface SniffedFormat {
  readonly format: RecordFormat;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Tells the format by the content, never by the file's name. A first line that is JSON by itself
 * means lines, except for an array that is all there is: that one is a list of records. Otherwise
 * `[` begins an array and `{` one document.
 */
export async function sniffFormat(chunks: AsyncIterable<Uint8Array>): Promise<SniffedFormat> {
  const source = chunks[Symbol.asyncIterator]();
  const sniffer = createSniffer();
  const seen: Uint8Array[] = [];
  for (;;) {
    const next = await source.next();
    if (next.done === true) return { format: sniffer.end(), chunks: replay(seen, source) };
    seen.push(next.value);
    const format = sniffer.add(next.value);
    if (format !== null) return { format, chunks: replay(seen, source) };
  }
}

interface Sniffer {
  /** The format, or null while more has to be seen. */
  readonly add: (chunk: Uint8Array) => RecordFormat | null;
  readonly end: () => RecordFormat;
}

const bracket = 0x5b;
const brace = 0x7b;
const newline = 0x0a;

function createSniffer(): Sniffer {
  const firstLine: Uint8Array[] = [];
  let firstByte: number | null = null;
  let lineEnded = false;
  let size = 0;

  /** What it is when the first line is not everything a line-wise reader needs. */
  const whole = (): RecordFormat => (firstByte === bracket ? "array" : "document");

  return {
    add(chunk) {
      size += chunk.length;
      let rest = chunk;
      if (firstByte === null) {
        const begin = chunk.findIndex((byte) => !isSpace(byte));
        if (begin < 0) return size > maxRecordBytes ? "lines" : null;
        firstByte = chunk[begin] ?? 0;
        if (firstByte !== bracket && firstByte !== brace) return "lines";
        rest = chunk.subarray(begin);
      }
      if (!lineEnded) {
        const end = rest.indexOf(newline);
        firstLine.push(end < 0 ? rest : rest.subarray(0, end));
        if (end < 0) return size > maxRecordBytes ? whole() : null;
        lineEnded = true;
        if (!isJson(Buffer.concat(firstLine))) return whole();
        if (firstByte === brace) return "lines";
        rest = rest.subarray(end);
      }
      if (!rest.every(isSpace)) return "lines";
      return size > maxRecordBytes ? whole() : null;
    },
    end: () => (firstByte === null ? "lines" : whole()),
  };
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}

async function* replay(
  seen: Uint8Array[],
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = seen.shift(); chunk !== undefined; chunk = seen.shift()) yield chunk;
    for (;;) {
      const next = await source.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await source.return?.();
  }
}
