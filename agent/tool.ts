import type { ToolDefinition } from "./model-provider.ts";

/** Something a model can ask for. */
export interface Tool extends ToolDefinition {
  /**
   * Does it. A model's input may be anything, whatever the schema says: check it.
   *
   * @returns what the model gets: text, blocks of a message, or any other JSON value. What it throws, the model
   * gets as a failure: the error's message, so keep secrets out of it
   */
  run(input: unknown, context: ToolContext): Promise<unknown>;
}

/** What a running tool knows and may do. */
export interface ToolContext {
  readonly callId: string;
  /** Absolute, without symbolic links. */
  readonly workdir: string;
  /** Aborted when the turn is. */
  readonly signal: AbortSignal;
  /**
   * Changes a file below `workdir` so that `restore` can undo it: the bytes before are durable in the session
   * first, then the file is replaced in one step and keeps its mode.
   *
   * @param path - relative to `workdir`, or absolute and inside
   * @param change - from the bytes now (null: absent) to the new ones; null removes the file
   * @throws AgentError `PATH_REFUSED` for what leads outside, through a symbolic link, or is no regular file
   */
  readonly changeFile: (
    path: string,
    change: (before: Uint8Array | null) => Uint8Array | null,
  ) => Promise<void>;
  /**
   * Starts work that outlives the call. Its end lands in the session as `background_completed` and the model
   * hears of it with its next request; until then the agent is not idle, so neither `compact` nor `restore` run.
   *
   * @param work - gets a signal of its own, aborted by `close()`; the turn's abort does not stop it
   * @returns the id of the task, once its start is durable
   */
  readonly runInBackground: (
    name: string,
    work: (signal: AbortSignal) => Promise<unknown>,
  ) => Promise<string>;
}
