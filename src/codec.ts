/**
 * One bytes-to-bytes step between an event's JSON text and what is stored, written by you or taken
 * from `checkpointer-kit/codecs`.
 *
 * The engine calls `encode` just before a commit, with the seq the record will have, and calls it
 * again with another context when a commit lost a race. It calls `decode` on every read. Both may
 * be synchronous or asynchronous.
 *
 * The one rule: when a record cannot be decoded exactly, throw a `CodecError`. Never skip, repair,
 * guess, return less, or fall back to treating the bytes as plain text.
 */
export interface Codec {
  /** Stable name, stored in logs for people to see: `"compress"`, `"aes-gcm"`. */
  readonly id: string;
  /** `"aead"` when decode authenticates the record and its context, else `"transform"`. */
  readonly kind: "transform" | "aead";
  /**
   * @param bytes - what to encode; yours to read, not to change or keep
   * @param context - where the record will stand; encode must not depend on anything else mutable
   * @returns new bytes; may be a view, never of `bytes`' buffer if it can change later
   */
  encode(bytes: Uint8Array, context: CodecContext): Uint8Array | Promise<Uint8Array>;
  /**
   * @param bytes - what `encode` returned, or whatever an attacker put in its place
   * @param context - the same values as at encode time
   * @returns exactly the bytes that `encode` was given
   * @throws CodecError on anything else, without plaintext, ciphertext or keys in its message
   */
  decode(bytes: Uint8Array, context: CodecContext): Uint8Array | Promise<Uint8Array>;
  /**
   * Optional: whether a stored record is sealed as a new one would be, so that `rekey` may leave it.
   * Left out: never.
   *
   * @param bytes - what `encode` returned
   */
  isCurrent?(bytes: Uint8Array, sessionId: string): boolean | Promise<boolean>;
  /**
   * Optional: called once by `pipeline()` to tell the stage what stands around it.
   *
   * @returns the codec to use at that place
   */
  place?(place: CodecPlace): Codec;
}

/** Where a stage stands in its pipeline. */
export interface CodecPlace {
  /** Id of the whole pipeline: the stages' ids joined by `+`. */
  readonly pipeline: string;
  /** Stages that encode before this one. */
  readonly before: readonly Codec[];
  /** Stages that encode after this one. */
  readonly after: readonly Codec[];
}

/** Where a record stands in its log. */
export interface CodecContext {
  readonly sessionId: string;
  /** 1-based position of the record. */
  readonly seq: number;
  /** The record's timestamp, ISO 8601 in UTC with milliseconds. */
  readonly ts: string;
  /**
   * Stored payload of the record before (seq - 1); null for seq 1 and after a plain record. Binding
   * its last bytes chains the log.
   */
  readonly previous: Uint8Array | null;
}
