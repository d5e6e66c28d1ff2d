import { isCheckpointError, type ErrorCode } from "../src/index.ts";
import { CliError } from "./cli-error.ts";

/** What the process exits with. The numbers are API and stable within a major version. */
export const exitCodes = {
  /** Everything that was asked for was done. */
  ok: 0,
  /** Something else failed: bad input, nothing of that name, a full disk, a limit. */
  failed: 1,
  /** The command line is wrong. Nothing was opened. */
  usage: 2,
  /** Something else is already there. It was left as it was. */
  conflict: 3,
  /** Stored records are damaged, were tampered with, or cannot be read with these settings. */
  damaged: 4,
  /** Another process is in the way. Nothing was changed; the same command may work later. */
  busy: 5,
  /** A change may or may not have been applied. Look before trying again. */
  unknown: 6,
  /** Ctrl-C, as shells expect it: 128 + signal number. */
  interrupted: 130,
} as const;

/** The table of `--help`. */
export const exitCodeHelp = `Exit codes:
  0    done
  1    failed: bad input, no such store, session or file, a limit, an I/O error
  2    wrong command line
  3    conflict: something else is already there; it was left as it was
  4    damaged: stored records cannot be read (damaged, tampered with, or sealed under another key)
  5    busy: nothing was changed, the same command may work later
  6    unknown: a change may or may not have been applied; look before trying again
  130  interrupted (143 by SIGTERM)`;

const byErrorCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  INVALID_SESSION_ID: exitCodes.usage,
  CONFLICT: exitCodes.conflict,
  IDEMPOTENCY_MISMATCH: exitCodes.conflict,
  CORRUPT_LOG: exitCodes.damaged,
  UNSUPPORTED_FORMAT: exitCodes.damaged,
  PLAINTEXT_IN_SEALED_LOG: exitCodes.damaged,
  SEALED_IN_PLAIN_LOG: exitCodes.damaged,
  DECODE_FAILED: exitCodes.damaged,
  AUTH_FAILED: exitCodes.damaged,
  ANCHOR_MISMATCH: exitCodes.damaged,
  WRONG_KEY: exitCodes.damaged,
  KEY_UNKNOWN: exitCodes.damaged,
  KEY_DISABLED: exitCodes.damaged,
  KEY_SHREDDED: exitCodes.damaged,
  KEY_UNAVAILABLE: exitCodes.busy,
  BUSY: exitCodes.busy,
  LOG_CHANGED: exitCodes.busy,
  OUTCOME_UNKNOWN: exitCodes.unknown,
};

/** The exit code that tells a script what `error` means. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (!isCheckpointError(error)) return exitCodes.failed;
  return byErrorCode[error.code] ?? exitCodes.failed;
}
