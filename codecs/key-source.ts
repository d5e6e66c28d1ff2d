import type { SecretKey } from "./secret-key.ts";

/**
 * Where a codec gets its keys from. Implemented by `keyRing`, `sessionKeys` and `password`.
 *
 * Whatever a method throws reaches the caller of a codec as a `CodecError` with the record's place: a
 * code that says something about a key stays, everything else is `KEY_UNAVAILABLE`. Only the messages
 * of a `CheckpointError` are passed on.
 */
export interface KeySource {
  /**
   * The key for new records of a session.
   *
   * @param seq - of the record to be sealed; 1 begins a new life of the session
   * @throws CheckpointError `KEY_UNAVAILABLE` (then nothing is written) or `KEY_SHREDDED`
   */
  current(sessionId: string, seq: number): SecretKey | Promise<SecretKey>;
  /**
   * The key that sealed a record. Never tries keys out.
   *
   * @param keyId - 16 hexadecimal digits from the record
   * @throws CheckpointError `KEY_UNKNOWN`, `KEY_DISABLED`, `KEY_SHREDDED` or `KEY_UNAVAILABLE`
   */
  find(sessionId: string, keyId: string): SecretKey | Promise<SecretKey>;
}
