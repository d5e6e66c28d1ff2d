/**
 * Wraps data keys: a key-encryption key (KEK) that stays where it is, such as in a key management
 * service. Written by you, or taken from {@link localWrapper}.
 *
 * Reject with a `CheckpointError` whose code says which failure it is: `KEY_UNAVAILABLE` when the
 * same call may succeed later, `WRONG_KEY` when the bytes or the context are not what was wrapped,
 * `KEY_UNKNOWN` or `KEY_DISABLED` when the KEK is gone or switched off. Anything else counts as
 * `KEY_UNAVAILABLE`. Messages of yours go no further than `onFailure`, in case they hold a secret.
 */
export interface KeyWrapper {
  /**
   * Names the KEK and is stored beside every key it wraps, for as long as the key. Another KEK
   * needs another id; another version of one that still opens what the former wrapped does not.
   */
  readonly id: string;
  /** Ids of former wrappers whose keys this one opens too. Default: none. */
  readonly opens?: readonly string[] | undefined;
  /**
   * @param key - 32 bytes, overwritten as soon as the promise settles; not yours to keep
   * @param context - to be authenticated with the key: encryption context, associated data
   * @param signal - aborts when the caller stops waiting
   * @returns at most 16 KiB that only this wrapper can open, in the same context
   */
  wrap(key: Uint8Array, context: WrapContext, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * @param wrapped - what `wrap` returned, or whatever an attacker put in its place
   * @param context - must equal the one at wrapping
   * @returns the key in a fresh array, which the caller overwrites
   */
  unwrap(wrapped: Uint8Array, context: WrapContext, signal?: AbortSignal): Promise<Uint8Array>;
}

/** What a wrapped key belongs to, so that it cannot be passed off as the key of something else. */
export interface WrapContext {
  readonly purpose: "session-key";
  /** As given to `sessionKeys`. */
  readonly namespace: string;
  readonly sessionId: string;
  /** Id of the data key: 16 hexadecimal digits. */
  readonly keyId: string;
}
