import { isCheckpointError } from "../src/index.ts";
import type { Context, Store } from "./context.ts";
import { requireSession } from "./find-session.ts";
import { oldestFirst } from "./list-sessions.ts";
import { jsonLine, showId } from "./output/escape.ts";
import { formatCount } from "./output/format-count.ts";
import { runEach } from "./run-each.ts";

/** What {@link sealSessions} is to do. */
export interface SealSessionsOptions {
  readonly operation: "rekey" | "adopt";
  /** Left out: every session. */
  readonly sessionId?: string | undefined;
  /** Whether sessions that need nothing are worth a line. */
  readonly tellSkipped: boolean;
  readonly json: boolean;
}

/**
 * Seals sessions anew, or those that are plain, and prints a line for each. What is wrong with one
 * does not keep the others from being done.
 *
 * @returns how many were sealed
 */
export async function sealSessions(
  context: Context,
  store: Store,
  { operation, sessionId, tellSkipped, json }: SealSessionsOptions,
): Promise<number> {
  if (sessionId !== undefined) await requireSession(store, sessionId);
  const ids = sessionId === undefined ? await oldestFirst(store) : [sessionId];
  let sealed = 0;
  await runEach(context, ids, "session", async (id) => {
    context.io.signal.throwIfAborted();
    const records = await seal(store, operation, id, sessionId === undefined);
    if (records !== null && records > 0) sealed += 1;
    else if (!tellSkipped) return;
    const fields = { session: id, records: records ?? 0, shredded: records === null };
    const text = `${showId(id)}: ${sentence(operation, records)}`;
    await context.out.note(json ? jsonLine(fields) : text);
  });
  return sealed;
}

/** @returns the number of records; null for a session whose keys are gone on purpose */
async function seal(
  store: Store,
  operation: "rekey" | "adopt",
  sessionId: string,
  skipShredded: boolean,
): Promise<number | null> {
  try {
    return (await store[operation](sessionId)).records;
  } catch (error) {
    if (skipShredded && isCheckpointError(error, "KEY_SHREDDED")) return null;
    throw error;
  }
}

function sentence(operation: "rekey" | "adopt", records: number | null): string {
  if (records === null) return "shredded, left as it is";
  const count = formatCount(records, "record");
  if (operation === "adopt") return records === 0 ? "nothing plain in it" : `${count} sealed`;
  return records === 0 ? "nothing under another key in it" : `${count} sealed anew`;
}
