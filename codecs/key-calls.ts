import { CheckpointError, isCheckpointError, quote, type ErrorCode } from "../src/index.ts";

/** What was asked of a key store or a wrapper. */
export type KeyAction =
  "read" | "add" | "replace" | "shred" | "revive" | "list" | "wrap" | "unwrap";

/** A call to a key store or a wrapper that failed, as it failed. */
export interface KeyFailure {
  readonly action: KeyAction;
  /** undefined for `"list"`. */
  readonly sessionId: string | undefined;
  readonly keyId: string | undefined;
  /** What the store or wrapper threw, or a timeout. Whether it is safe to log, you know best. */
  readonly error: unknown;
}

/** What a call is about. */
interface KeyPlace {
  readonly sessionId?: string;
  readonly keyId?: string;
}

/** Calls to code that may hang, fail, and put secrets into its errors. */
export interface KeyCalls {
  /**
   * @param work - its signal aborts at the deadline and at `close()`
   * @throws CheckpointError and nothing else, with words of ours alone and no cause
   */
  run<T>(action: KeyAction, place: KeyPlace, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Makes running and later calls fail with `CLOSED`. */
  close(): void;
}

/** What an error of a store or wrapper may say; the rest is `KEY_UNAVAILABLE`. */
const sentences: Partial<Record<ErrorCode, string>> = {
  KEY_UNKNOWN: "the key that wrapped it is gone",
  KEY_DISABLED: "the key that wrapped it is disabled",
  KEY_SHREDDED: "the session's keys were shredded",
  WRONG_KEY: "it was wrapped by another key or for another place, or changed",
  UNSUPPORTED_FORMAT: "what is stored is damaged, or written by something else",
  CLOSED: "the key store was closed",
};

/** Codes that mean the same here as another one. */
const sameAs: Partial<Record<ErrorCode, ErrorCode>> = {
  AUTH_FAILED: "WRONG_KEY",
  CORRUPT_LOG: "UNSUPPORTED_FORMAT",
};

/** Calls that may take `timeoutMs` each. */
export function createKeyCalls(
  timeoutMs: number,
  onFailure: ((failure: KeyFailure) => void) | undefined,
): KeyCalls {
  const running = new Set<AbortController>();
  let closed = false;

  function report(action: KeyAction, { sessionId, keyId }: KeyPlace, error: unknown): void {
    try {
      onFailure?.({ action, sessionId, keyId, error });
    } catch {
      // Whoever listens does not decide what becomes of the call.
    }
  }

  return {
    async run(action, place, work) {
      if (closed) throw closedError();
      const controller = new AbortController();
      const { signal } = controller;
      const timeout = new Error(`no answer within ${timeoutMs} ms`);
      const timer = setTimeout(() => controller.abort(timeout), timeoutMs);
      running.add(controller);
      const stopped = new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(timeout), { once: true });
      });
      try {
        // The race listens to both, so that whichever comes too late is not an unhandled rejection.
        return await Promise.race([work(signal), stopped]);
      } catch (error) {
        if (closed) throw closedError();
        report(action, place, error);
        if (signal.aborted) throw failure("KEY_UNAVAILABLE", action, place, timeout.message);
        const code = codeOf(error);
        throw failure(code, action, place, sentences[code] ?? "the call failed, see onFailure");
      } finally {
        clearTimeout(timer);
        running.delete(controller);
      }
    },

    close() {
      closed = true;
      for (const controller of running) controller.abort(closedError());
    },
  };
}

/** An error about a session's keys. */
export function keyError(
  code: ErrorCode,
  sessionId: string,
  keyId: string | undefined,
  detail: string,
): CheckpointError {
  const what = keyId === undefined ? "a key" : `key ${shownId(keyId)}`;
  return new CheckpointError(code, `Cannot use ${what} of session ${quote(sessionId)}: ${detail}`);
}

/** The error of every use after `close()`. */
export function closedError(): CheckpointError {
  return new CheckpointError("CLOSED", "Cannot use session keys: the source was closed");
}

function failure(
  code: ErrorCode,
  action: KeyAction,
  { sessionId, keyId }: KeyPlace,
  detail: string,
): CheckpointError {
  const key = keyId === undefined ? "the keys" : `key ${shownId(keyId)}`;
  const whose = sessionId === undefined ? "" : ` of session ${quote(sessionId)}`;
  return new CheckpointError(code, `Cannot ${action} ${key}${whose}: ${detail}`);
}

/** An id comes from a record or a store, so it can be anything. */
function shownId(keyId: string): string {
  return /^[0-9a-f]{16}$/.test(keyId) ? keyId : "with a malformed id";
}

function codeOf(error: unknown): ErrorCode {
  try {
    if (!isCheckpointError(error)) return "KEY_UNAVAILABLE";
    const code = sameAs[error.code] ?? error.code;
    return Object.hasOwn(sentences, code) ? code : "KEY_UNAVAILABLE";
  } catch {
    // Even looking at a stranger's error can throw.
    return "KEY_UNAVAILABLE";
  }
}
