import { CheckpointError, type LogHead } from "../../src/index.ts";
import type { Database } from "./database.ts";
import { noKeys } from "./new-records.ts";
import { lookAt } from "./session-look.ts";
import type { Statements } from "./statements.ts";
import { toInteger, toMicroseconds, toStoredRecord } from "./stored-record.ts";

/** How a change is recognised: by the mark on its last record, or by the history that it began. */
export type Marker = { readonly change: string } | { readonly generation: string };

/**
 * What became of a change whose connection broke.
 *
 * The statement may still be under way: in a queue of the network, waiting for a lock, or committing.
 * So the change is first put on the session's list of refused ones. That statement waits for the row
 * like the change itself; the change looks at the list in the same step that moves the head, which a
 * server compares with the newest version of the row. Whichever comes first decides: if the change is
 * not found now, it will never be made. An absent session gets a row for the list alone.
 *
 * What is not found may also have been made, and cut off or deleted again since. Every such step takes
 * a number from a sequence while it holds the row, and each history notes what the sequence had come
 * to at its beginning; a number that was seen before the change was sent proves that nothing was cut.
 *
 * @param cutsBefore - what the sequence had come to before the change was sent
 * @returns the head behind the change; "open" when it may have been made and cut off again, or the
 * database stays away
 */
export async function resolveOutcome(
  { database, statements }: { readonly database: Database; readonly statements: Statements },
  sessionId: string,
  changeId: string,
  marker: Marker,
  cutsBefore: number,
): Promise<LogHead | "not applied" | "open"> {
  const repeatable = { sessionId, isRepeatable: true };
  const refusing = [sessionId, changeId, String(toMicroseconds(Date.now()))];
  try {
    return await database.persist("find out", find, repeatable);
  } catch (error) {
    if (error instanceof CheckpointError && error.code === "CLOSED") throw error;
    return "open";
  }

  async function find(): Promise<LogHead | "not applied" | "open"> {
    const [row = []] = await database.run(statements.refuse, refusing);
    const [id, generation, birth, cuts] = row;
    const head = await findMarked(String(id), String(generation));
    if (head !== null) {
      // It is over and can do no harm any more.
      await database.run(statements.unrefuse, [sessionId, changeId]);
      return head;
    }
    const isAbsent = generation === "";
    const proof = isAbsent ? toInteger(cuts) : toInteger(birth);
    return proof <= cutsBefore ? "not applied" : "open";
  }

  async function findMarked(id: string, generation: string): Promise<LogHead | null> {
    if ("generation" in marker) {
      if (marker.generation !== generation) return null;
      return (await lookAt(database.run, statements, sessionId, noKeys)).head;
    }
    const [row] = await database.run(statements.changed, [id, marker.change]);
    const tail = row === undefined ? null : toStoredRecord(sessionId, row);
    return tail === null ? null : { seq: tail.seq, generation, tail };
  }
}
