import { isCheckpointError, type CodecErrorCode, type ErrorCode } from "../src/index.ts";

/** What a failing key source means for the record at hand. */
export interface KeyFailureMeaning {
  readonly code: CodecErrorCode;
  /** Safe to show. */
  readonly detail: string;
}

/** What an error of a key source can say about a key; whatever else it says, no key came of it. */
const meanings: Partial<Record<ErrorCode, CodecErrorCode>> = {
  KEY_UNKNOWN: "KEY_UNKNOWN",
  KEY_DISABLED: "KEY_DISABLED",
  KEY_SHREDDED: "KEY_SHREDDED",
  KEY_UNAVAILABLE: "KEY_UNAVAILABLE",
  WRONG_KEY: "WRONG_KEY",
  UNSUPPORTED_FORMAT: "UNSUPPORTED_FORMAT",
  LIMIT_EXCEEDED: "LIMIT_EXCEEDED",
  RNG_FAULT: "RNG_FAULT",
  // Of a wrapped key, where a codec says it of a record.
  AUTH_FAILED: "WRONG_KEY",
  CORRUPT_LOG: "UNSUPPORTED_FORMAT",
};

/** Translates an error of a key source; one that is not of the kit has nothing of it let out. */
export function keyFailureOf(error: unknown): KeyFailureMeaning {
  try {
    if (isKeyMisuse(error)) return { code: "KEY_UNAVAILABLE", detail: error.message };
    if (isCheckpointError(error)) {
      return { code: meanings[error.code] ?? "KEY_UNAVAILABLE", detail: error.message };
    }
  } catch {
    // Even looking at a stranger's error can throw.
  }
  return { code: "KEY_UNAVAILABLE", detail: "the key source failed" };
}

const misuses = new WeakSet<object>();

/**
 * The error for keys that were given wrongly. It is the caller's mistake, also where it shows only
 * at the first use because Web Crypto answers later.
 *
 * @param message - safe to show
 */
export function keyMisuse(message: string): TypeError {
  const error = new TypeError(message);
  misuses.add(error);
  return error;
}

/** Whether an error was made by {@link keyMisuse}, so that a stranger's TypeError is told apart. */
export function isKeyMisuse(error: unknown): error is TypeError {
  return typeof error === "object" && error !== null && misuses.has(error);
}
