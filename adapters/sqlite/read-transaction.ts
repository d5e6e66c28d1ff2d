import type { Connection } from "./connection.ts";

/** Runs synchronous reads against one moment of the database. */
export function readTransaction<T>({ database, statements }: Connection, work: () => T): T {
  statements.beginRead.run();
  try {
    return work();
  } finally {
    // COMMIT would fail once more after a statement that has met damage.
    if (database.inTransaction) statements.rollback.run();
  }
}
