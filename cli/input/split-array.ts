import { createCollector } from "./collector.ts";
import { inputError, type Position, type Span } from "./position.ts";
import { isBlank, isSpace } from "./white-space.ts";

/**
 * The elements of a JSON array, one at a time, however long the array is. It only looks for what
 * ends an element; the element itself is left to `JSON.parse`, and together they accept exactly
 * what is a JSON array.
 *
 * @param chunks - the first byte that is not white space is `[`
 * @throws CliError where the array itself is malformed
 */
export async function* splitArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Span> {
  const collector = createCollector();
  const scanner = createScanner();
  let elements = 0;
  let line = 1;
  let lineStart = 0;
  let passed = 0;
  let start: Position = { line: 1, byte: 1 };
  const here = (index: number): Position => ({ line, byte: passed + index - lineStart + 1 });

  for await (const chunk of chunks) {
    let from = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      const event = scanner.see(byte);
      if (event === "fault") throw inputError(here(index), "not JSON: the array ends before");
      if (event === "element" || event === "end") {
        collector.add(chunk.subarray(from, index), start);
        const bytes = collector.take();
        const empty = event === "end" && elements === 0 && isBlank(bytes);
        if (!empty) yield { bytes, start };
        elements += 1;
      }
      if (event !== null) {
        from = index + 1;
        start = here(from);
      }
      if (byte === newline) {
        line += 1;
        lineStart = passed + index + 1;
      }
    }
    if (scanner.inside()) collector.add(chunk.subarray(from), start);
    passed += chunk.length;
  }
  if (!scanner.ended()) throw inputError(here(0), "not JSON: the array does not end");
}

const newline = 0x0a;

/** What a byte does to the array: begins it, ends an element, ends both, or cannot be there. */
type ScanEvent = "begin" | "element" | "end" | "fault" | null;

interface Scanner {
  readonly see: (byte: number) => ScanEvent;
  readonly inside: () => boolean;
  readonly ended: () => boolean;
}

function createScanner(): Scanner {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let ended = false;

  function seeInString(byte: number): null {
    if (escaped) escaped = false;
    else if (byte === 0x5c) escaped = true;
    else if (byte === 0x22) inString = false;
    return null;
  }

  return {
    see(byte) {
      if (inString) return seeInString(byte);
      if (ended) return isSpace(byte) ? null : "fault";
      switch (byte) {
        case 0x22: // "
          inString = true;
          return null;
        case 0x5b: // [
        case 0x7b: // {
          depth += 1;
          return depth === 1 ? "begin" : null;
        case 0x5d: // ]
        case 0x7d: // }
          depth -= 1;
          if (depth > 0) return null;
          ended = true;
          return byte === 0x5d ? "end" : "fault";
        case 0x2c: // ,
          return depth === 1 ? "element" : null;
        default:
          return null;
      }
    },
    inside: () => depth > 0,
    ended: () => ended,
  };
}
