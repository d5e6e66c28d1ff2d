/**
 * Codecs: compression and encryption that raise instead of repairing or falling back to plaintext.
 *
 * @module
 */
export { aesGcm, type AesGcmOptions } from "./aes-gcm.ts";
export { compress, type CompressOptions } from "./compress.ts";
export type { Deflate } from "./deflate.ts";
export { keyRing, type KeyRingOptions } from "./key-ring.ts";
export type { KeySource } from "./key-source.ts";
export { pipeline } from "./pipeline.ts";
export type { RandomSource } from "./random.ts";
export type { SealOptions } from "./sealing-codec.ts";
export {
  generateKey,
  secretKey,
  type KeyInput,
  type NodeKeyObject,
  type SecretKey,
  type WebCryptoKey,
} from "./secret-key.ts";
export { xchacha } from "./xchacha.ts";
