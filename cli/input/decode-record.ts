import { inputError, inputErrorSomewhere, positionIn, type Span } from "./position.ts";
import { numberThatChanges } from "./rounded-number.ts";

/** Options of {@link decodeRecord}. */
export interface DecodeOptions {
  /** Take numbers that JavaScript rounds, rounded. */
  readonly allowRounding: boolean;
}

/**
 * The JSON value that a span of a file holds.
 *
 * @throws CliError naming line and byte when the bytes are not UTF-8 or not JSON, or when a number
 * would come back as another number
 */
export function decodeRecord(span: Span, options: DecodeOptions): unknown {
  const text = decodeUtf8(span);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(error, text, span);
  }
  const changed = numberThatChanges(text);
  if (changed === null) return value;
  const place = positionIn(span, byteLength(text, changed.index));
  const number = changed.number.length > 40 ? `${changed.number.slice(0, 37)}...` : changed.number;
  if (!Number.isFinite(Number(changed.number))) {
    throw inputError(place, `the number ${number} is too large for JavaScript`);
  }
  if (options.allowRounding) return value;
  const becomes = `would become ${Number(changed.number)}; --allow-rounding takes it so`;
  throw inputError(place, `the number ${number} ${becomes}`);
}

/** Text of strict UTF-8. A byte order mark is kept, and is then no JSON. */
function decodeUtf8(span: Span): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(span.bytes);
  } catch {
    throw inputError(positionIn(span, firstBadByte(span.bytes)), "not UTF-8");
  }
}

/** Offset of the first byte that UTF-8 cannot have there, found by halving. */
function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    try {
      const decoder = new TextDecoder("utf-8", { fatal: true });
      // As a stream, so that a character cut in two is no error.
      decoder.decode(bytes.subarray(0, middle), { stream: true });
      good = middle;
    } catch {
      bad = middle;
    }
  }
  return Math.min(good, bytes.length - 1);
}

/** V8 tells the place in some of its messages, and quotes the input in others. */
function notJson(error: unknown, text: string, span: Span): Error {
  const message = error instanceof Error ? error.message : String(error);
  const reason = message
    .replace(/ at position \d+.*$/s, "")
    .replace(/, (?:\.\.\.)?".*is not valid JSON$/s, "");
  const named = /at position (\d+)/.exec(message)?.[1];
  const units = message.includes("end of JSON") ? text.length : named;
  if (units === undefined) return inputErrorSomewhere(span, `not JSON: ${reason}`);
  return inputError(positionIn(span, byteLength(text, Number(units))), `not JSON: ${reason}`);
}

function byteLength(text: string, units: number): number {
  return Buffer.byteLength(text.slice(0, units));
}
