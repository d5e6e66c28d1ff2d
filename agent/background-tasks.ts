import { newGeneration } from "../src/index.ts";
import { jsonOf, messageOf, untilAborted } from "./outcome.ts";
import type { SessionLog } from "./session-log.ts";

/** Work of tools that runs beside the conversation. */
export interface BackgroundTasks {
  readonly size: number;
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
 * @param onFailure - told when the end of a task could not be recorded; the session's next resume closes it
 */
export function backgroundTasks(onFailure: (error: unknown) => void): BackgroundTasks {
  const controller = new AbortController();
  const running = new Set<Promise<void>>();

  async function run(
    log: SessionLog,
    taskId: string,
    work: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const outcome = await outcomeOf(work, controller.signal);
    try {
      await log.append([{ type: "background_completed", taskId, ...outcome }]);
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    get size() {
      return running.size;
    },
    async start(log, name, work) {
      const taskId = `task-${newGeneration().slice(0, 8)}`;
      await log.append([{ type: "background_started", taskId, name }]);
      const task = run(log, taskId, work).finally(() => running.delete(task));
      running.add(task);
      return taskId;
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
    async stop() {
      controller.abort(new Error("The agent was closed"));
      await Promise.all(running);
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
    return { output: jsonOf(await untilAborted(work(signal), signal)) };
  } catch (error) {
    return { output: messageOf(error), isError: true };
  }
}
