import {
  matchesBase,
  type Base,
  type LogHead,
  type RewriteRecord,
  type Outcome,
} from "../../src/index.ts";
import { appendRecords } from "./append-records.ts";
import type { Connection } from "./connection.ts";
import { detachSession, purgeSession, type HiddenSession } from "./hidden-sessions.ts";
import { findSession, readHead } from "./session-row.ts";
import { createStaging, eachAlone, type Staging } from "./staging.ts";
import type { WriteQueue } from "./write-queue.ts";

interface Swap {
  readonly outcome: Outcome;
  readonly replaced: HiddenSession | null;
}

/**
 * Puts a whole new log in place. Its records go into a hidden session in short transactions, then
 * one more compares, hides the old session and gives its name to the new one.
 */
export async function rewriteLog(
  writes: WriteQueue,
  readHeadOf: (sessionId: string) => Promise<LogHead | null>,
  sessionId: string,
  base: Base | null,
  records: AsyncIterable<RewriteRecord>,
  mtime: number,
): Promise<Outcome> {
  const staging = createStaging(writes, sessionId);
  let revealed = false;
  try {
    // Checked again at the swap; here it only saves the work.
    const before = await readHeadOf(sessionId);
    if (!matchesBase(before, base)) return { conflict: before };
    for await (const record of records) await staging.add(record);
    const { outcome, replaced } = await writes.write({
      sessionId,
      run: (connection) => swap(connection, sessionId, base, staging, mtime),
      committed: ({ heads }) => heads.forget(sessionId),
    });
    revealed = "head" in outcome;
    if (replaced !== null) await purgeSession(writes, replaced).catch(() => undefined);
    return outcome;
  } finally {
    await staging.end(revealed);
  }
}

function swap(
  { statements }: Connection,
  sessionId: string,
  base: Base | null,
  staging: Staging,
  mtime: number,
): Swap {
  const current = findSession(statements, sessionId);
  if (!matchesBase(current === null ? null : { ...current, tail: null }, base)) {
    const conflict = readHead(statements, sessionId, current);
    return { outcome: { conflict }, replaced: null };
  }
  if (current === null && staging.isEmpty()) return { outcome: { head: null }, replaced: null };
  const replaced = current === null ? null : detachSession(statements, current);
  const { target, rest } = staging.reveal(statements, mtime);
  const head = appendRecords(statements, target, { base, batches: eachAlone(rest), mtime });
  return { outcome: { head }, replaced };
}
