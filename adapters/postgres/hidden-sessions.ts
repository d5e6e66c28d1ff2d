import type { Database } from "./database.ts";
import type { Statements } from "./statements.ts";
import { toMicroseconds } from "./stored-record.ts";

/** A row of a session without a name: nobody sees it. */
export interface HiddenSession {
  readonly id: string;
  readonly generation: string;
}

/** Records that one transaction deletes; long ones keep the server from clearing away old rows. */
const purgeRecords = 10_000;

/** Deletes a hidden session step by step. */
export async function purgeSession(
  { run }: Database,
  statements: Statements,
  { id, generation }: HiddenSession,
): Promise<void> {
  const values = [id, generation];
  for (let isLeft = true; isLeft;) {
    const rows = await run(statements.purgeRecords, [...values, String(purgeRecords)]);
    isLeft = rows.length > 0;
  }
  await run(statements.purgeSession, values);
}

/**
 * Purges what crashed rewrites and deletes have left behind.
 *
 * @param staleMs - how long the owner of staged records must have been silent; see `rewriteLog`
 */
export async function purgeStale(
  database: Database,
  statements: Statements,
  staleMs: number,
): Promise<void> {
  const before = String(toMicroseconds(Date.now() - staleMs));
  for (const [id, generation] of await database.run(statements.staleHidden, [before])) {
    await purgeSession(database, statements, { id: String(id), generation: String(generation) });
  }
}
