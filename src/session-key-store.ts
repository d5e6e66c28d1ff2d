/**
 * Where wrapped session keys are kept: a store that is not the log and not in the log's backups, so
 * that deleting a key makes every copy of the log unreadable. Written by you, or taken from
 * `checkpointer-kit/adapters/file`, `/sqlite` and `/postgres`.
 *
 * Every method is atomic and durable when it resolves, across processes. Reject with a
 * `CheckpointError` `KEY_UNAVAILABLE` when the store cannot be reached.
 */
export interface SessionKeyStore {
  /** All keys of a session, oldest first, or its tombstone; an unknown session has no keys. */
  get(sessionId: string): Promise<SessionKeys>;
  /**
   * Adds a key behind the others.
   *
   * @returns false when the session is shredded or has a key with this id; nothing was added then
   */
  add(sessionId: string, key: WrappedKey): Promise<boolean>;
  /**
   * Puts other wrappings in place of keys with the same ids; keys that are gone stay gone.
   *
   * @returns false when the session is shredded
   */
  replace(sessionId: string, keys: readonly WrappedKey[]): Promise<boolean>;
  /**
   * Forgets all keys of a session for ever and leaves a tombstone. Overwrites what it can; a disk or
   * a backup may still hold old bytes.
   */
  shred(sessionId: string): Promise<void>;
  /** Allows new keys for a shredded session id; its old records stay unreadable. */
  revive(sessionId: string): Promise<void>;
  /** Every session with keys or a tombstone, in any order. */
  list(): AsyncIterable<string>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** What a key store knows of a session. */
export interface SessionKeys {
  readonly shredded: boolean;
  readonly keys: readonly WrappedKey[];
}

/** A data key that only its wrapper can open. */
export interface WrappedKey {
  /** Id of the data key: 16 hexadecimal digits. */
  readonly id: string;
  /** Id of the wrapper (the key-encryption key) that made it. */
  readonly wrapperId: string;
  readonly wrapped: Uint8Array;
  /** When it was added, ISO 8601. */
  readonly created: string;
}
