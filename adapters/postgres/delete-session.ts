import { quote } from "../../src/index.ts";
import type { Database } from "./database.ts";
import { purgeSession, type HiddenSession } from "./hidden-sessions.ts";
import { noKeys } from "./new-records.ts";
import { ConnectionLost, wrapError } from "./postgres-errors.ts";
import { lookAt } from "./session-look.ts";
import type { Statements } from "./statements.ts";

/** Deletes a session: takes it out of sight in one step, then its records piece by piece. */
export async function deleteSession(
  database: Database,
  statements: Statements,
  sessionId: string,
): Promise<void> {
  /** The row that was taken out of sight when the connection broke, if it was. */
  let perhaps: string | undefined;
  let lost: ConnectionLost | undefined;

  const hide = async (): Promise<HiddenSession | null> => {
    while (true) {
      const { id } = await lookAt(database.run, statements, sessionId, noKeys).catch(asUnsent);
      if (id === null) return null;
      // Somebody has made it again, or has written it anew: nobody can tell which.
      if (lost !== undefined && id !== perhaps) throw lost;
      try {
        const [row] = await database.transact((run) => run(statements.hide, [sessionId, id]));
        if (row !== undefined) return { id, generation: String(row[0]) };
      } catch (error) {
        if (!(error instanceof ConnectionLost) || !error.sent) throw error;
        lost = error;
        perhaps = id;
        throw new ConnectionLost(false, error.cause);
      }
    }
  };
  const action = `delete session ${quote(sessionId)}`;
  let hidden: HiddenSession | null;
  try {
    hidden = await database.persist(action, hide, { sessionId });
  } catch (error) {
    // The database stayed away, or another session has taken the place.
    throw lost === undefined ? error : wrapError(action, lost, sessionId);
  }
  // It is deleted already; what cannot be purged now is purged by a later opener.
  if (hidden !== null) await purgeSession(database, statements, hidden).catch(() => undefined);
}

function asUnsent(error: unknown): never {
  throw error instanceof ConnectionLost ? new ConnectionLost(false, error.cause) : error;
}
