import { createHash } from "node:crypto";

/** SHA-256 in hexadecimal; of text, that of its UTF-8 bytes. */
export function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}
