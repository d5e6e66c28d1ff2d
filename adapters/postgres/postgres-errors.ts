import { CheckpointError, CorruptLogError, quote, type ErrorCode } from "../../src/index.ts";

/** The connection broke, or could not be made. Never leaves the adapter. */
export class ConnectionLost extends Error {
  /** Whether the server may have got, and done, what was to be done. */
  readonly sent: boolean;

  constructor(sent: boolean, cause: unknown) {
    super(messageOf(cause), { cause: stripped(cause) });
    this.name = "ConnectionLost";
    this.sent = sent;
  }
}

/** A look that breaks off has changed nothing, whether the server got it or not. */
export async function asUnsent<T>(looking: Promise<T>): Promise<T> {
  try {
    return await looking;
  } catch (error) {
    throw error instanceof ConnectionLost ? new ConnectionLost(false, error.cause) : error;
  }
}

/**
 * The server's error code, for example `55P03`, or undefined for any other error.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined;
  const { code } = error;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Whether a server's error ends its connection, and so is no word on what became of a statement. */
export function endsConnection(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return true;
  const { severity } = error as { severity?: unknown };
  return severity === "FATAL" || severity === "PANIC" || /^(?:08|57P0|25P03)/.test(state);
}

/**
 * Whether the same statement may succeed a moment later. It was rolled back: lost to another
 * transaction, or met a server that is starting, full, or a standby.
 */
export function isPassing(error: unknown): boolean {
  return /^(?:40001|40P01|57P03|53300|25006)$/.test(sqlState(error) ?? "");
}

/** Whether the server does not know a statement that this connection has prepared: a pooler did that. */
export function isUnprepared(error: unknown): boolean {
  return /^(?:26000|42P05)$/.test(sqlState(error) ?? "");
}

/** Whether a record with the same idempotency key came in from somebody else at the same time. */
export function isKeyTaken(error: unknown): boolean {
  return isUnique(error, "records_by_key");
}

/** Whether a session of that name came in from somebody else at the same time. */
export function isNameTaken(error: unknown): boolean {
  return isUnique(error, "sessions_name_key");
}

/** Whether a record of that session and seq is there already. */
export function isSeqTaken(error: unknown): boolean {
  return isUnique(error, "records_pkey");
}

function isUnique(error: unknown, index: string): boolean {
  return sqlState(error) === "23505" && (error as { constraint?: unknown }).constraint === index;
}

/**
 * The kit's error for a driver's error; any other error comes back as it is. The server's message
 * names tables and columns; what holds values, such as its detail, is dropped.
 *
 * @param action - what failed, as in "Cannot <action>"
 * @param sessionId - the session in whose records damage was met
 */
export function wrapError(action: string, error: unknown, sessionId?: string): unknown {
  if (error instanceof CheckpointError || !(error instanceof Error)) return error;
  if (error instanceof ConnectionLost) {
    const code = error.sent ? "OUTCOME_UNKNOWN" : "IO_FAILED";
    return new CheckpointError(code, `Cannot ${action}: ${error.message}`, { cause: error.cause });
  }
  const state = sqlState(error);
  if (state === undefined) return error;
  const detail = `${error.message} (${state})`;
  const options = { cause: stripped(error) };
  if (/^XX00[12]$/.test(state) && sessionId !== undefined) {
    return new CorruptLogError(sessionId, null, null, detail, options);
  }
  return new CheckpointError(codeOf(state), `Cannot ${action}: ${detail}`, options);
}

function codeOf(state: string): ErrorCode {
  // Lock and statement timeouts, lost races, no free slot for a connection, a server that starts.
  if (/^(?:55P03|57014|40001|40P01|53300|57P03)$/.test(state)) return "BUSY";
  if (/^XX00[12]$/.test(state)) return "CORRUPT_LOG";
  if (state.startsWith("54")) return "LIMIT_EXCEEDED";
  return "IO_FAILED";
}

/** The error of a wait for a connection that ran out. */
export function noConnection(timeoutMs: number): CheckpointError {
  return new CheckpointError(
    "BUSY",
    `Cannot reach the database: no connection was free for ${timeoutMs} ms`,
  );
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

/** What an error says, without what it holds: details and queries may carry values, URLs a password. */
function stripped(error: unknown): Error {
  const code = (error as { code?: unknown } | null)?.code;
  const plain = new Error(messageOf(error));
  return typeof code === "string" ? Object.assign(plain, { code }) : plain;
}

function messageOf(error: unknown): string {
  // A failure to reach any address of a host has its reasons inside, and no message.
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(messageOf).join(", ");
  }
  return error instanceof Error ? error.message : "the connection failed";
}
