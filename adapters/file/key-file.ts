/**
 * The bytes of a session's key file, as docs/format.md specifies them under "Key file". No other
 * file knows them.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { SessionKeys, WrappedKey } from "../../src/index.ts";

/** A session's key file, parsed. */
export interface KeyFile extends SessionKeys {
  readonly sessionId: string;
}

const magic = "checkpointer-kit keys 1";
const sumPrefix = "sha256 ";
const newline = 0x0a;

/** Lines of text: what it is, whose it is, a key each, and a checksum over all that. */
export function encodeKeyFile({ sessionId, shredded, keys }: KeyFile): Buffer {
  const head = shredded ? { session: sessionId, shredded } : { session: sessionId };
  const lines = [magic, JSON.stringify(head), ...keys.map(encodeKey)];
  const body = `${lines.join("\n")}\n`;
  return Buffer.from(`${body}${sumPrefix}${sumOf(Buffer.from(body))}\n`);
}

/** @returns null when the bytes are not a whole and undamaged file of this version */
export function parseKeyFile(bytes: Buffer): KeyFile | null {
  const end = bytes.lastIndexOf(newline, bytes.length - 2) + 1;
  const body = bytes.subarray(0, end);
  if (bytes.toString("latin1", end) !== `${sumPrefix}${sumOf(body)}\n`) return null;
  const [first, head = "", ...lines] = body.toString("utf8").split("\n").slice(0, -1);
  const { session: sessionId, shredded } = parseObject(head);
  if (first !== magic || typeof sessionId !== "string") return null;
  const keys = lines.map(parseKey).filter((key) => key !== null);
  if (keys.length !== lines.length) return null;
  return { sessionId, shredded: shredded === true, keys };
}

/** Whether a file is one of ours, whatever state it is in. */
export function isKeyFile(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, magic.length) === magic;
}

function encodeKey({ id, wrapperId, wrapped, created }: WrappedKey): string {
  const bytes = Buffer.from(wrapped.buffer, wrapped.byteOffset, wrapped.byteLength);
  return JSON.stringify({ id, wrapperId, wrapped: bytes.toString("base64"), created });
}

function parseKey(line: string): WrappedKey | null {
  const { id, wrapperId, wrapped, created } = parseObject(line);
  const texts = [id, wrapperId, wrapped, created];
  if (!texts.every((text) => typeof text === "string")) return null;
  const [keyId = "", maker = "", base64 = "", at = ""] = texts;
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  return { id: keyId, wrapperId: maker, wrapped: bytes, created: at };
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(line)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function sumOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
