import type { SessionInfo } from "../src/index.ts";
import { CliError } from "./cli-error.ts";
import type { Store } from "./context.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { listSessions } from "./list-sessions.ts";
import { showId } from "./output/escape.ts";

/**
 * Checks that a session is there, empty and damaged ones included.
 *
 * @throws CliError when it is not
 */
export async function requireSession(store: Store, sessionId: string): Promise<void> {
  if (await sessionExists(store, sessionId)) return;
  throw new CliError(exitCodes.failed, `No session ${showId(sessionId)}`);
}

/** Whether a session is there, empty and damaged ones included. */
async function sessionExists(store: Store, sessionId: string): Promise<boolean> {
  try {
    if ((await store.head(sessionId)) > 0) return true;
  } catch (error) {
    // What cannot be read is there.
    if (exitCodeOf(error) !== exitCodes.damaged) throw error;
    return true;
  }
  // A head of 0 is an empty session or none; only the list tells them apart.
  return (await infoOf(store, sessionId)) !== null;
}

async function infoOf(store: Store, sessionId: string): Promise<SessionInfo | null> {
  for await (const info of listSessions(store, sessionId)) {
    if (info.id === sessionId) return info;
  }
  return null;
}
