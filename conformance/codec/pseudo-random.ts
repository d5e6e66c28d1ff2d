import { createCipheriv, createHash } from "node:crypto";

/** Bytes without a pattern that any codec could use, the same for the same seed. */
export function pseudoRandom(seed: number, length: number): Uint8Array {
  const key = createHash("sha256").update(`codec suite ${seed}`).digest();
  return Uint8Array.from(
    createCipheriv("aes-256-ctr", key, new Uint8Array(16)).update(new Uint8Array(length)),
  );
}
