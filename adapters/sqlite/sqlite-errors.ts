import { CheckpointError, CorruptLogError, quote } from "../../src/index.ts";

/**
 * The driver's error code, for example `SQLITE_BUSY_SNAPSHOT`, or undefined for any other error.
 *
 * @see https://www.sqlite.org/rescode.html
 */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const { code } = error;
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : undefined;
}

/** Whether another connection holds a lock, so that the same call may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(sqliteCode(error) ?? "");
}

/** Whether SQLite met bytes that cannot be right. */
export function isCorrupt(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error) ?? "");
}

/**
 * Whether a failed COMMIT may come back to life. Its frames are in the write-ahead log and only
 * their sync failed: a crash before the next commit overwrites them would bring them back.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  return /^SQLITE_IOERR_(DIR_)?FSYNC/.test(sqliteCode(error) ?? "");
}

/**
 * The kit's error for a driver's error; any other error comes back as it is. SQLite's messages name
 * tables and columns and never hold a payload.
 *
 * @param action - what failed, as in "Cannot <action>"
 * @param sessionId - the session in whose records damage was met
 */
export function wrapError(action: string, error: unknown, sessionId?: string): unknown {
  const code = sqliteCode(error) ?? systemCode(error);
  if (!(error instanceof Error) || code === undefined) return error;
  const detail = `${error.message} (${code})`;
  const options = { cause: error };
  if (isCorrupt(error) && sessionId !== undefined) {
    return new CorruptLogError(sessionId, null, null, detail, options);
  }
  if (isCorrupt(error)) {
    return new CheckpointError("CORRUPT_LOG", `Cannot ${action}: ${detail}`, options);
  }
  const kind = isBusy(error) ? "BUSY" : "IO_FAILED";
  return new CheckpointError(kind, `Cannot ${action}: ${detail}`, options);
}

/** The error of a change whose fate is open. */
export function unknownOutcome(action: string, error: unknown): CheckpointError {
  const detail = "the sync of the write-ahead log failed, read the log to find out";
  return new CheckpointError("OUTCOME_UNKNOWN", `Cannot ${action}: ${detail}`, { cause: error });
}

/** The error of a session whose history was replaced under a reader. */
export function logChanged(sessionId: string): CheckpointError {
  return new CheckpointError(
    "LOG_CHANGED",
    `Cannot read session ${quote(sessionId)}: the log was truncated or deleted meanwhile`,
  );
}

/** The error of an operation after `close()`. */
export function closedError(): CheckpointError {
  return new CheckpointError("CLOSED", "Cannot use the database: the store was closed");
}

function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
