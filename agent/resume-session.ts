import type { Checkpointer, SessionEvent, StoredEvent } from "../src/index.ts";
import { finishInterruptedCut } from "./restore/finish-cut.ts";
import { restoreSession } from "./restore/restore-session.ts";
import { readHistory } from "./restore/session-history.ts";
import { removeTemporaries } from "./restore/swap-files.ts";
import { interruption, workIdOf } from "./run-tool.ts";
import { openSessionLog, type SessionLog } from "./session-log.ts";

/**
 * Opens a session and settles what somebody who was killed left open in it: a restore is finished, tool calls and
 * background work get a result that says so, temporary files go. A session that was left in order is only read.
 *
 * @throws RestoreError when files that a restore has to change were changed since; nothing was touched
 */
export async function resumeSession(
  checkpointer: Checkpointer,
  workdir: string,
  sessionId: string,
  onEvent: (stored: StoredEvent) => void,
): Promise<SessionLog> {
  const open = (): Promise<SessionLog> => openSessionLog(checkpointer, sessionId, onEvent);
  const place = { checkpointer, workdir, sessionId };
  let log = await open();
  if (log.state.head === 0 && log.token === ":0") return log;
  const { openRestore } = log.state;
  if (openRestore !== null) {
    await restoreSession({ ...place, log }, openRestore.targetSeq, openRestore);
    log = await open();
  } else if (await finishInterruptedCut(place, log.state.head)) {
    log = await open();
  }
  await removeLeftovers(checkpointer, workdir, log);
  await closeOpenWork(log);
  return log;
}

async function closeOpenWork(log: SessionLog): Promise<void> {
  const { openCalls, openTasks } = log.state;
  const isError = true;
  const results: SessionEvent[] = [
    ...[...openCalls.keys()].map((callId): SessionEvent => ({
      type: "tool_result",
      callId,
      output: interruption,
      isError,
    })),
    ...[...openTasks.keys()].map((taskId): SessionEvent => ({
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
  const history = await readHistory(checkpointer, sessionId, undefined);
  const paths = history.filesSince(endedRestore.firstSnapshotSeq).keys();
  await removeTemporaries(workdir, paths, endedRestore.workId);
}
