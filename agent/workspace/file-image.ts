import { Buffer } from "node:buffer";
import type { FileImage } from "../../src/index.ts";
import { sha256 } from "../sha256.ts";
import type { FileState } from "./file-state.ts";

/** Keeps a byte order mark, and refuses what is not UTF-8: the text has to give the same bytes again. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A file as a snapshot keeps it: as text where that gives the same bytes again, otherwise as base64.
 *
 * @param isStored - whether an earlier snapshot of the session holds the bytes with this hash
 */
export function imageOf(state: FileState | null, isStored: (hash: string) => boolean): FileImage {
  if (state === null) return { state: "absent" };
  const { bytes, hash, mode, size } = state;
  if (isStored(hash)) return { state: "stored", hash, mode };
  if (bytes === null) return { state: "truncated", bytes: size, mode };
  const text = textOrNull(bytes);
  if (text !== null) return { state: "text", text, mode, hash };
  return { state: "base64", base64: Buffer.from(bytes).toString("base64"), mode, hash };
}

/** Text that stays text in JSON: one control character takes six bytes there, base64 takes 4 for 3. */
function textOrNull(bytes: Uint8Array): string | null {
  let controls = 0;
  for (const byte of bytes)
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) controls++;
  if (controls * 16 > bytes.length) return null;
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** The bytes that a snapshot holds itself; null when it refers to others or kept none. */
export function bytesOf(image: FileImage): Uint8Array | null {
  if (image.state === "text") return Buffer.from(image.text, "utf8");
  if (image.state === "base64") return Buffer.from(image.base64, "base64");
  return null;
}

/** SHA-256 of the file in the snapshot; null when it was absent, undefined when nobody knows. */
export function hashOfImage(image: FileImage): string | null | undefined {
  if (image.state === "absent") return null;
  if (image.state === "truncated") return undefined;
  if (image.hash !== undefined) return image.hash;
  const bytes = bytesOf(image);
  return bytes === null ? undefined : sha256(bytes);
}
