import type { Checkpointer, SessionEvent } from "../../src/index.ts";
import { interruption } from "../outcome.ts";
import type { SessionLog } from "../session-log.ts";
import { isWellFormed } from "../well-formed.ts";
import { workIdOf } from "../workspace/replace-file.ts";
import { removeTemporaries } from "./swap-files.ts";

/**
 * Settles what somebody who was killed left in a session without an open restore: temporary files go, tool calls and
 * background work get a result that says so. Whoever still works on the session gets a conflict from now on.
 */
export async function settleWork(
  checkpointer: Checkpointer,
  workdir: string,
  log: SessionLog,
  isRunning: (taskId: string) => boolean = () => false,
): Promise<void> {
  await removeLeftovers(checkpointer, workdir, log);
  await closeOpenWork(log, isRunning);
}

async function closeOpenWork(
  log: SessionLog,
  isRunning: (taskId: string) => boolean,
): Promise<void> {
  const { openCalls, openTasks } = log.state;
  const isError = true;
  const results: SessionEvent[] = [
    ...[...openCalls].map((callId): SessionEvent => ({
      type: "tool_result",
      callId,
      output: interruption,
      isError,
    })),
    ...[...openTasks]
      .filter((taskId) => !isRunning(taskId))
      .map((taskId): SessionEvent => ({
        type: "background_completed",
        taskId,
        output: interruption,
        isError,
      })),
  ];
  if (results.length > 0) await log.append(results);
}

/** What was beside the files that an interrupted call, or the end of a restore, had to do with. */
async function removeLeftovers(
  checkpointer: Checkpointer,
  workdir: string,
  { sessionId, state }: SessionLog,
): Promise<void> {
  for (const [callId, paths] of state.openChanges) {
    await removeTemporaries(workdir, paths, workIdOf(sessionId, callId));
  }
  const { endedRestore } = state;
  if (endedRestore === null) return;
  const paths = new Set<string>();
  const sinceSeq = endedRestore.firstSnapshotSeq - 1;
  for await (const { event } of checkpointer.read(sessionId, { sinceSeq })) {
    if (event.type === "file_snapshot" && isWellFormed(event)) paths.add(event.path);
  }
  await removeTemporaries(workdir, paths, endedRestore.workId);
}
