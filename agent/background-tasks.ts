import { newGeneration, type BackgroundCompletedEvent } from "../src/index.ts";
import { jsonOf, messageOf, unlessAborted } from "./outcome.ts";
import type { SessionLog } from "./session-log.ts";

/** Work of tools that runs beside the conversation. */
export interface BackgroundTasks {
  readonly size: number;
  /** Whether a task runs here. */
  readonly has: (taskId: string) => boolean;
  /** See `ToolContext.runInBackground`. */
  start(
    log: SessionLog,
    name: string,
    work: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<string>;
  /** Resolves when all of it has ended and its end is in the log. */
  settled(): Promise<void>;
  /** Aborts all of it, records that, and waits for nobody who does not listen to the signal. */
  stop(): Promise<void>;
}

/**
 * @param record - puts the end of a task into the session
 * @param onFailure - told when that failed; the session's next resume closes the task
 */
export function backgroundTasks(
  record: (event: BackgroundCompletedEvent) => Promise<void>,
  onFailure: (error: unknown) => void,
): BackgroundTasks {
  const controller = new AbortController();
  const running = new Map<string, Promise<void>>();

  async function run(
    taskId: string,
    work: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const outcome = await outcomeOf(work, controller.signal);
    try {
      await record({ type: "background_completed", taskId, ...outcome });
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    get size() {
      return running.size;
    },
    has: (taskId) => running.has(taskId),
    async start(log, name, work) {
      const taskId = `task-${newGeneration().slice(0, 8)}`;
      await log.append([{ type: "background_started", taskId, name }]);
      const task = run(taskId, work).finally(() => running.delete(taskId));
      running.set(taskId, task);
      return taskId;
    },
    async settled() {
      while (running.size > 0) await Promise.all(running.values());
    },
    async stop() {
      controller.abort(new Error("The agent was closed"));
      await Promise.all(running.values());
    },
  };
}

interface TaskOutcome {
  readonly output: unknown;
  readonly isError?: boolean;
}

async function outcomeOf(
  work: (signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
): Promise<TaskOutcome> {
  try {
    return { output: jsonOf(await unlessAborted(signal, work(signal))) };
  } catch (error) {
    return { output: messageOf(error), isError: true };
  }
}
