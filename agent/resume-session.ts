import type { Checkpointer, StoredEvent } from "../src/index.ts";
import { finishInterruptedCut } from "./restore/finish-cut.ts";
import { restoreSession } from "./restore/restore-session.ts";
import { openSessionLog, type SessionLog } from "./session-log.ts";
import { settleWork } from "./restore/settle-work.ts";

/**
 * Opens a session and settles what somebody who was killed left open in it: a restore is finished, tool calls and
 * background work get a result that says so, temporary files go. A session that was left in order is only read.
 *
 * @param isRunning - whether background work with this id runs in this process
 * @throws RestoreError when files that a restore has to change were changed since; nothing was touched
 */
export async function resumeSession(
  checkpointer: Checkpointer,
  workdir: string,
  sessionId: string,
  isRunning: (taskId: string) => boolean,
  onEvent: (stored: StoredEvent) => void,
): Promise<SessionLog> {
  const place = { checkpointer, workdir, sessionId, onEvent };
  const open = (): Promise<SessionLog> => openSessionLog(checkpointer, sessionId, { onEvent });
  let log = await open();
  if (log.token === ":0") return log;
  const begun = log.state.openRestores.at(-1);
  if (begun !== undefined) {
    await restoreSession(place, begun.targetSeq, begun);
    log = await open();
  }
  if (await finishInterruptedCut(place, log.state.head)) log = await open();
  await settleWork(checkpointer, workdir, log, isRunning);
  return log;
}
