/**
 * Every code a {@link CheckpointError} can carry. Codes are API and stable within a major version;
 * messages are not.
 *
 * | code | meaning | retryable |
 * | --- | --- | --- |
 * | `CONFLICT` | `expectedHead` differs from the head, or a fork's target exists. Nothing changed | no |
 * | `BUSY` | A lock, connection or busy timeout ran out. Nothing changed | yes |
 * | `OUTCOME_UNKNOWN` | The change may or may not have been applied; read the log to find out | no |
 * | `IDEMPOTENCY_MISMATCH` | The idempotency key was already used with other events | no |
 * | `EVENT_NOT_SERIALIZABLE` | An event holds something JSON cannot carry; the message names the path | no |
 * | `LIMIT_EXCEEDED` | An event, batch or setting is over a declared limit | no |
 * | `INVALID_SESSION_ID` | Not a well-formed string of 1 to 512 UTF-8 bytes without U+0000 | no |
 * | `LOG_CHANGED` | The log was truncated or deleted under a reader or follower | yes |
 * | `CORRUPT_LOG` | Stored bytes are damaged | no |
 * | `UNSUPPORTED_FORMAT` | Written by a newer version, or not ours at all. Nothing was touched | no |
 * | `PLAINTEXT_IN_SEALED_LOG` | A plain record in a log opened with a codec | no |
 * | `SEALED_IN_PLAIN_LOG` | A sealed record in a log opened without a codec | no |
 * | `KEY_UNKNOWN` | The record names a key that is not configured | no |
 * | `KEY_DISABLED` | The record's key is configured and switched off | no |
 * | `KEY_UNAVAILABLE` | A key service or key store did not answer. Nothing was written | yes |
 * | `KEY_SHREDDED` | The session's key was destroyed on purpose | no |
 * | `WRONG_KEY` | The key, session or pipeline is not the one that sealed the record | no |
 * | `AUTH_FAILED` | The right key says that the record was changed or moved | no |
 * | `DECODE_FAILED` | A codec stage refused a record | no |
 * | `RNG_FAULT` | The random source repeated itself. Nothing was written | no |
 * | `ANCHOR_MISMATCH` | The log is behind its anchor, or another history than it | no |
 * | `IO_FAILED` | The backend failed (disk full, permission, driver error). Nothing was applied | no |
 * | `NOT_SUPPORTED` | The adapter lacks this optional operation; see its capabilities | no |
 * | `CLOSED` | Used after `close()` | no |
 */
export type ErrorCode =
  | "CONFLICT"
  | "BUSY"
  | "OUTCOME_UNKNOWN"
  | "IDEMPOTENCY_MISMATCH"
  | "EVENT_NOT_SERIALIZABLE"
  | "LIMIT_EXCEEDED"
  | "INVALID_SESSION_ID"
  | "LOG_CHANGED"
  | "CORRUPT_LOG"
  | "UNSUPPORTED_FORMAT"
  | "PLAINTEXT_IN_SEALED_LOG"
  | "SEALED_IN_PLAIN_LOG"
  | "KEY_UNKNOWN"
  | "KEY_DISABLED"
  | "KEY_UNAVAILABLE"
  | "KEY_SHREDDED"
  | "WRONG_KEY"
  | "AUTH_FAILED"
  | "DECODE_FAILED"
  | "RNG_FAULT"
  | "ANCHOR_MISMATCH"
  | "IO_FAILED"
  | "NOT_SUPPORTED"
  | "CLOSED";

const knownCodes: ReadonlySet<string> = new Set<ErrorCode>([
  "CONFLICT",
  "BUSY",
  "OUTCOME_UNKNOWN",
  "IDEMPOTENCY_MISMATCH",
  "EVENT_NOT_SERIALIZABLE",
  "LIMIT_EXCEEDED",
  "INVALID_SESSION_ID",
  "LOG_CHANGED",
  "CORRUPT_LOG",
  "UNSUPPORTED_FORMAT",
  "PLAINTEXT_IN_SEALED_LOG",
  "SEALED_IN_PLAIN_LOG",
  "KEY_UNKNOWN",
  "KEY_DISABLED",
  "KEY_UNAVAILABLE",
  "KEY_SHREDDED",
  "WRONG_KEY",
  "AUTH_FAILED",
  "DECODE_FAILED",
  "RNG_FAULT",
  "ANCHOR_MISMATCH",
  "IO_FAILED",
  "NOT_SUPPORTED",
  "CLOSED",
]);

const retryableCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "BUSY",
  "LOG_CHANGED",
  "KEY_UNAVAILABLE",
]);

/**
 * The one error base of the kit. Recognise errors by `code`, which also works when two copies of
 * the package are loaded; `instanceof` does not.
 */
export class CheckpointError extends Error {
  /** What happened; see {@link ErrorCode}. */
  readonly code: ErrorCode;
  /** Whether the same call may succeed later without the caller changing anything. */
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CheckpointError";
    this.code = code;
    this.retryable = retryableCodes.has(code);
  }
}

/** The head was not where the caller expected it. Nothing was changed. Code `CONFLICT`. */
export class CheckpointConflictError extends CheckpointError {
  readonly sessionId: string;
  /** What the caller expected: a seq, or a head token. */
  readonly expected: number | string;
  /** The head's seq at some moment during the call; 0 when the session is absent or empty. */
  readonly actual: number;

  constructor(sessionId: string, expected: number | string, actual: number) {
    super(
      "CONFLICT",
      `Cannot change session ${quote(sessionId)}: expected head ${expected}, found ${actual}`,
    );
    this.name = "CheckpointConflictError";
    this.sessionId = sessionId;
    this.expected = expected;
    this.actual = actual;
  }
}

/** Stored bytes of a session are damaged. Reading up to the damage works. Code `CORRUPT_LOG`. */
export class CorruptLogError extends CheckpointError {
  readonly sessionId: string;
  /** The first seq that cannot be read, or null when even that is unknown. */
  readonly seq: number | null;
  /** Byte offset of the damage where the adapter has one, else null. */
  readonly offset: number | null;

  constructor(
    sessionId: string,
    seq: number | null,
    offset: number | null,
    detail: string,
    options?: ErrorOptions,
  ) {
    const place = [
      seq === null ? "" : ` at seq ${seq}`,
      offset === null ? "" : ` (byte ${offset})`,
    ];
    super(
      "CORRUPT_LOG",
      `Session ${quote(sessionId)} is damaged${place.join("")}: ${detail}`,
      options,
    );
    this.name = "CorruptLogError";
    this.sessionId = sessionId;
    this.seq = seq;
    this.offset = offset;
  }
}

/** The codes a {@link CodecError} can carry. */
export type CodecErrorCode =
  | "PLAINTEXT_IN_SEALED_LOG"
  | "SEALED_IN_PLAIN_LOG"
  | "UNSUPPORTED_FORMAT"
  | "KEY_UNKNOWN"
  | "KEY_DISABLED"
  | "KEY_UNAVAILABLE"
  | "KEY_SHREDDED"
  | "WRONG_KEY"
  | "AUTH_FAILED"
  | "DECODE_FAILED"
  | "LIMIT_EXCEEDED"
  | "RNG_FAULT";

/**
 * A record could not be decoded, or must not be. Nothing was skipped, repaired or changed because
 * of it. The message never holds plaintext, ciphertext or key material.
 */
export class CodecError extends CheckpointError {
  /** Id of the stage that refused, for example `"aes-gcm"`. */
  readonly stage: string;
  readonly sessionId: string;
  readonly seq: number;
  /** Hexadecimal id of the key involved, where there is one. */
  readonly keyId: string | undefined;

  constructor(
    code: CodecErrorCode,
    place: { stage: string; sessionId: string; seq: number; keyId?: string | undefined },
    detail: string,
  ) {
    super(
      code,
      `Codec ${place.stage} refused seq ${place.seq} of ${quote(place.sessionId)}: ${detail}`,
    );
    this.name = "CodecError";
    this.stage = place.stage;
    this.sessionId = place.sessionId;
    this.seq = place.seq;
    this.keyId = place.keyId;
  }
}

/**
 * Whether `error` is a {@link CheckpointError} (from any copy of this package), optionally with the
 * given code.
 */
export function isCheckpointError(error: unknown, code?: ErrorCode): error is CheckpointError {
  if (!(error instanceof Error) || !("code" in error) || !("retryable" in error)) return false;
  return code === undefined ? knownCodes.has(String(error.code)) : error.code === code;
}

/** `text` in double quotes with control characters escaped, cut to a length that suits a message. */
export function quote(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return JSON.stringify(shown).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
