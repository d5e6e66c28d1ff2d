/**
 * The bytes of one line, as docs/format.md specifies them. No other file knows them.
 *
 * A line is JSON that people and `jq` can read, in one fixed spelling that is parsed by position:
 * `{"seq":1,"ts":"…","left":0,"event":{…},"crc":"1a2b3c4d"}`. `crc` is the CRC-32 (zlib.crc32) of
 * every byte before `,"crc"`.
 *
 * @module
 */
import { crc32 } from "node:zlib";
import type { StoredRecord } from "../../src/index.ts";

/** A record with what the file adds to it. */
export interface LineRecord extends StoredRecord {
  /** How many records of the same append follow. */
  readonly left: number;
}

/** The first line of a log. */
export interface LogHeader {
  readonly version: number;
  readonly id: string;
  readonly generation: string;
  /** Id of the codec pipeline of the log's creator, `"plain"` without one; for people to see. */
  readonly pipeline: string;
  readonly created: string;
}

/** The version this code writes and reads. */
export const formatVersion = 1;

/** What every log starts with. */
const formatName = "checkpointer-kit/log";

export const newline = 0x0a;

/** `,"crc":"` + 8 digits + `"}` */
const trailerLength = 18;
const trailerStart = Buffer.from(',"crc":"');
const lineEnd = Buffer.from('"}\n');
const hexDigits = "0123456789abcdef";
const quoteByte = 0x22;
const backslash = 0x5c;

/** Bytes of a line that hold everything before the payload, unless there is a key. */
const prefixLength = 96;
const prefix =
  /^\{"seq":([1-9]\d{0,15}),"ts":"(\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z)","left":(\d{1,7}),"/;

/** A record's line, newline included. */
export function encodeRecord(record: LineRecord): Buffer {
  return encodeRecords([record]);
}

/** The lines of records, newlines included, in one new buffer. */
export function encodeRecords(records: readonly LineRecord[]): Buffer {
  return lendRecords(records, (lines) => Buffer.from(lines));
}

/**
 * Makes the lines of records, newlines included, and lends them to `use`: the memory is used again
 * as soon as that returns.
 */
export function lendRecords<T>(records: readonly LineRecord[], use: (lines: Buffer) => T): T {
  return lendLines(records.map(openingOf), use);
}

/** Everything of a record's line before the trailer. */
function openingOf({ seq, ts, left, key, payload }: LineRecord): string {
  const keyMember = key === undefined ? "" : `"key":${JSON.stringify(key)},`;
  const content =
    typeof payload === "string" ? `"event":${payload}` : `"sealed":"${toBase64Url(payload)}"`;
  return `{"seq":${seq},"ts":"${ts}","left":${left},${keyMember}${content}`;
}

function toBase64Url({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64url");
}

/** A log's first line, newline included. */
export function encodeHeader(header: LogHeader): Buffer {
  const { version, ...rest } = header;
  const text = JSON.stringify({ format: formatName, version, ...rest });
  return lendLines([text.slice(0, -1)], (lines) => Buffer.from(lines));
}

/**
 * The record in `bytes[start, end)`, which excludes the newline.
 *
 * @returns null for anything that `encodeRecord` would not have written
 */
export function decodeRecord(bytes: Buffer, start: number, end: number): LineRecord | null {
  const contentEnd = end - trailerLength;
  if (contentEnd <= start || !hasTrailer(bytes, start, end)) return null;
  const opening = prefix.exec(
    bytes.toString("latin1", start, Math.min(contentEnd, start + prefixLength)),
  );
  if (opening === null) return null;
  const fields = { seq: Number(opening[1]), ts: opening[2] ?? "", left: Number(opening[3]) };
  let position = start + opening[0].length;
  let key: string | undefined;
  if (startsWith(bytes, position, 'key":"')) {
    const keyEnd = endOfString(bytes, position + 6, contentEnd);
    if (keyEnd === -1 || !startsWith(bytes, keyEnd + 1, ',"')) return null;
    const spelled = bytes.toString("utf8", position + 5, keyEnd + 1);
    const parsed = parseString(spelled);
    // Only the one spelling that `encodeRecord` gives it.
    if (parsed === null || JSON.stringify(parsed) !== spelled) return null;
    key = parsed;
    position = keyEnd + 3;
  }
  const payload = decodePayload(bytes, position, contentEnd);
  if (payload === null) return null;
  return key === undefined ? { ...fields, payload } : { ...fields, key, payload };
}

/**
 * The seq that the line starting at `start` claims, without checking the line.
 *
 * @returns null when the bytes do not start like a record
 */
export function peekSeq(bytes: Buffer, start: number): number | null {
  const text = bytes.toString("latin1", start, Math.min(bytes.length, start + 25));
  const match = /^\{"seq":([1-9]\d{0,15}),/.exec(text);
  return match === null ? null : Number(match[1]);
}

/** The header in `bytes[0, end)`; null when it is not one, or damaged. */
export function decodeHeader(bytes: Buffer, end: number): LogHeader | null {
  if (!hasTrailer(bytes, 0, end)) return null;
  const parsed = parseObject(`${bytes.toString("utf8", 0, end - trailerLength)}}`);
  if (parsed === null || parsed["format"] !== formatName) return null;
  const { version, id, generation, pipeline, created } = parsed;
  if (typeof version !== "number" || typeof id !== "string") return null;
  if (typeof generation !== "string" || typeof pipeline !== "string") return null;
  return { version, id, generation, pipeline, created: String(created) };
}

function parseString(text: string): string | null {
  try {
    return JSON.parse(text) as string;
  } catch {
    return null;
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}

/**
 * Memory that lines are made in, enough for 300 of 1 KiB. Fresh memory for each commit costs as much
 * as filling it: it is mapped, cleared, and given back.
 */
const workspaceBytes = 1024 * 1024;
let workspace: Buffer | null = null;

/** @param openings - lines without their trailers */
function lendLines<T>(openings: readonly string[], use: (lines: Buffer) => T): T {
  let most = 0;
  // A UTF-16 unit takes at most three bytes; measuring a text costs as much as writing it.
  for (const opening of openings) most += 3 * opening.length + trailerLength + 1;
  const memory =
    workspace !== null && most <= workspaceBytes
      ? workspace
      : Buffer.allocUnsafeSlow(Math.max(most, workspaceBytes));
  // Whoever makes lines while these are lent takes other memory.
  workspace = null;
  try {
    return use(memory.subarray(0, writeLines(memory, openings)));
  } finally {
    if (memory.length === workspaceBytes) workspace = memory;
  }
}

/** @returns where the last line ends */
function writeLines(memory: Buffer, openings: readonly string[]): number {
  let start = 0;
  for (const opening of openings) {
    const end = start + memory.write(opening, start);
    memory.set(trailerStart, end);
    const digits = end + trailerStart.length;
    const checksum = crc32(memory.subarray(start, end));
    for (let index = 0; index < 8; index += 1) memory[digits + index] = hexDigit(checksum, index);
    memory.set(lineEnd, digits + 8);
    start = end + trailerLength + 1;
  }
  return start;
}

function hasTrailer(bytes: Buffer, start: number, end: number): boolean {
  const trailer = end - trailerLength;
  if (trailer <= start || bytes[end - 1] !== 0x7d || bytes[end - 2] !== quoteByte) return false;
  const digits = trailer + trailerStart.length;
  if (trailerStart.compare(bytes, trailer, digits) !== 0) return false;
  const checksum = crc32(bytes.subarray(start, trailer));
  for (let index = 0; index < 8; index += 1) {
    if (bytes[digits + index] !== hexDigit(checksum, index)) return false;
  }
  return true;
}

/** One of the eight hexadecimal digits of a checksum; making a text of them takes half as long as the CRC. */
function hexDigit(checksum: number, index: number): number {
  return hexDigits.charCodeAt((checksum >>> (28 - 4 * index)) & 0xf);
}

function decodePayload(bytes: Buffer, start: number, end: number): string | Buffer | null {
  if (startsWith(bytes, start, 'event":')) return bytes.toString("utf8", start + 7, end);
  if (!startsWith(bytes, start, 'sealed":"') || bytes[end - 1] !== quoteByte) return null;
  const text = bytes.toString("latin1", start + 9, end - 1);
  const payload = Buffer.from(text, "base64url");
  // The decoder is lenient; only the one spelling that encodes back to itself is accepted.
  return payload.toString("base64url") === text ? payload : null;
}

function startsWith(bytes: Buffer, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** Position of the quote that ends a JSON string whose content starts at `start`; -1 if none. */
function endOfString(bytes: Buffer, start: number, end: number): number {
  for (let position = start; position < end; position += 1) {
    if (bytes[position] === backslash) position += 1;
    else if (bytes[position] === quoteByte) return position;
  }
  return -1;
}
