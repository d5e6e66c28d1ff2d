/**
 * Codecs: compression and encryption that raise instead of repairing or falling back to plaintext.
 *
 * @module
 */
export { aesGcm, type AesGcmOptions } from "./aes-gcm.ts";
export { compress, type CompressOptions } from "./compress.ts";
export type { Deflate } from "./deflate.ts";
export type { KeyAction, KeyFailure } from "./key-calls.ts";
export { keyRing, type KeyRingOptions } from "./key-ring.ts";
export type { KeySource } from "./key-source.ts";
export type { KeyWrapper, WrapContext } from "./key-wrapper.ts";
export { localWrapper, type LocalWrapperOptions } from "./local-wrapper.ts";
export { memoryKeyStore } from "./memory-key-store.ts";
export type { Argon2idCost, PasswordCost, ScryptCost } from "./password-cost.ts";
export {
  changePassword,
  createPasswordVault,
  openPasswordVault,
  type ChangePasswordOptions,
  type PasswordOptions,
  type PasswordVaultOptions,
} from "./password-vault.ts";
export { password } from "./password.ts";
export { pipeline } from "./pipeline.ts";
export type { RandomSource } from "./random.ts";
export type { RewrapOptions, RewrapReport } from "./rewrap-sessions.ts";
export type { SealOptions } from "./sealing-codec.ts";
export {
  generateKey,
  secretKey,
  type KeyInput,
  type NodeKeyObject,
  type SecretKey,
  type WebCryptoKey,
} from "./secret-key.ts";
export type { SessionKeyCacheOptions, SessionKeysOptions } from "./session-key-options.ts";
export { sessionKeys, type SessionKeySource, type SessionKeyStats } from "./session-keys.ts";
export { xchacha } from "./xchacha.ts";
