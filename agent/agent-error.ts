/**
 * What can go wrong in the session layer itself. What the store says keeps its own `CheckpointError`.
 *
 * | code | meaning |
 * | --- | --- |
 * | `AGENT_BUSY` | A turn, background work, a compaction or a restore is under way |
 * | `SESSIONS_OFF` | The agent was made with `sessions: false` |
 * | `SESSION_UNKNOWN` | No session has this id |
 * | `SESSION_CHANGED` | The stored session is not as this agent left it; `resume` it |
 * | `NOT_A_CHECKPOINT` | The seq is not one of a person's prompts |
 * | `UNFINISHED_TOOL_CALLS` | The cut would leave tool calls without their results |
 * | `RESTORE_REFUSED` | Files stand in the way; nothing was touched. See {@link RestoreError} |
 * | `RESTORE_FAILED` | A step failed; the files were put back, or the restore is still open. See {@link RestoreError} |
 * | `PATH_REFUSED` | A path leads out of the working directory, or through a symbolic link |
 * | `MODEL_FAILED` | The model's vendor refused, or its connection broke |
 * | `TRANSCRIPT_MALFORMED` | A line of a transcript is not what its format wants; the message names both |
 * | `DRIVER_MISSING` | An optional package is not installed |
 * | `SCRIPT_INVALID` | The script of a scripted model cannot be read |
 * | `AGENT_CLOSED` | Used after `close()` |
 */
export type AgentErrorCode =
  | "AGENT_BUSY"
  | "SESSIONS_OFF"
  | "SESSION_UNKNOWN"
  | "SESSION_CHANGED"
  | "NOT_A_CHECKPOINT"
  | "UNFINISHED_TOOL_CALLS"
  | "RESTORE_REFUSED"
  | "RESTORE_FAILED"
  | "PATH_REFUSED"
  | "MODEL_FAILED"
  | "TRANSCRIPT_MALFORMED"
  | "DRIVER_MISSING"
  | "SCRIPT_INVALID"
  | "AGENT_CLOSED";

/** The one error base of the session layer. Recognise errors by `code`, which is API; messages are not. */
export class AgentError extends Error {
  /** What happened; see {@link AgentErrorCode}. */
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AgentError";
    this.code = code;
  }
}

/**
 * A restore that did not happen. Code `RESTORE_REFUSED` or `RESTORE_FAILED`. When files could not be put back, or the
 * store does not say how it ended, the message says that it is still open: the next `resume` finishes it.
 */
export class RestoreError extends AgentError {
  /** Every file that stood in the way or failed, not only the first. */
  readonly problems: readonly RestoreProblem[];

  constructor(
    code: "RESTORE_REFUSED" | "RESTORE_FAILED",
    message: string,
    problems: readonly RestoreProblem[],
    options?: ErrorOptions,
  ) {
    super(code, message, options);
    this.name = "RestoreError";
    this.problems = problems;
  }
}

/** Why one file keeps a restore from happening. */
export interface RestoreProblem {
  /** Relative to the working directory. */
  readonly path: string;
  /**
   * `changed`: not as the session left it, somebody else changed it (`force` overwrites that).
   * `unavailable`: its bytes were over the limit or are missing from the log. `unsafe`: the path leads out
   * of the working directory, through a symbolic link, or to something that is no regular file. `failed`:
   * a step on it failed. `left`: it could not be put back afterwards and is as the restore left it.
   */
  readonly reason: "changed" | "unavailable" | "unsafe" | "failed" | "left";
  readonly detail: string;
}
