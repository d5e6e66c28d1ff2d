import type { Checkpointer, RestoreStartedEvent } from "../../src/index.ts";
import { sameGeneration, type SessionLog } from "../session-log.ts";

/**
 * What became of a restore whose last step failed: still `open`; `done`, because only the reply was lost, or somebody
 * else finished it; `taken` over by somebody else; `unknown`, because the store does not say.
 */
export type RestoreOutcome = "open" | "done" | "taken" | "unknown";

/**
 * Looks what the store says of a restore.
 *
 * @param log - as it was when the restore had begun
 */
export async function outcomeOf(
  checkpointer: Checkpointer,
  log: SessionLog,
  started: RestoreStartedEvent,
): Promise<RestoreOutcome> {
  try {
    return await lookUp(checkpointer, log, started);
  } catch {
    return "unknown";
  }
}

async function lookUp(
  checkpointer: Checkpointer,
  { sessionId, token, state }: SessionLog,
  { targetSeq, conversation }: RestoreStartedEvent,
): Promise<RestoreOutcome> {
  const now = await checkpointer.headToken(sessionId);
  if (now === token) return "open";
  if (!sameGeneration(now, token)) {
    const head = await checkpointer.head(sessionId);
    return conversation && head === targetSeq - 1 ? "done" : "taken";
  }
  for await (const { event } of checkpointer.read(sessionId, { sinceSeq: state.head })) {
    if (event.type === "restored") return conversation ? "taken" : "done";
    if (event.type === "restore_started" || event.type === "file_snapshot") return "taken";
  }
  return "open";
}
