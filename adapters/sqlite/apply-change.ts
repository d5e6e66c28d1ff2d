import { matchesBase, newGeneration, type Change, type Outcome } from "../../src/index.ts";
import { appendBehind, appendRecords, countRecords, isPlainAppend } from "./append-records.ts";
import type { Connection } from "./connection.ts";
import type { KnownHead } from "./known-heads.ts";
import { findSession, readHead } from "./session-row.ts";
import type { Statements } from "./statements.ts";
import { toMicroseconds } from "./stored-record.ts";

/** What a change came to, and what this handle may remember of the session once it is committed. */
export interface Applied {
  readonly outcome: Outcome;
  readonly known: KnownHead | null;
}

/**
 * Compares and changes inside the transaction that is open. All checks come before the first write,
 * so a refusal leaves nothing to undo.
 */
export function applyChange(connection: Connection, sessionId: string, change: Change): Applied {
  const { statements } = connection;
  const applied = applyToKnown(connection, sessionId, change);
  if (applied !== null) return applied;
  const current = findSession(statements, sessionId);
  const duplicate = current === null ? null : findDuplicate(statements, current, change);
  if (duplicate !== null) return { outcome: { duplicate }, known: current };
  const { base, mtime } = change;
  if (!matchesBase(current === null ? null : { ...current, tail: null }, base)) {
    return { outcome: { conflict: readHead(statements, sessionId, current) }, known: current };
  }
  const kept = cutRecords(statements, current, change);
  if (countRecords(change) === 0) {
    return { outcome: { head: readHead(statements, sessionId, kept) }, known: kept };
  }
  const target = kept ?? createSession(statements, sessionId, mtime);
  const head = appendRecords(statements, target, change);
  return { outcome: { head }, known: { ...target, seq: head.seq } };
}

/**
 * Applies a change that is one insert by itself, without a transaction around it, which saves two
 * of the three statements of the most frequent change there is.
 *
 * @returns null when the change needs more than that; then nothing happened
 */
export function applyAlone(
  connection: Connection,
  sessionId: string,
  change: Change,
): Applied | null {
  return countRecords(change) === 1 ? applyToKnown(connection, sessionId, change) : null;
}

/** Makes a session row that is visible when `name` is given. */
export function createSession(
  statements: Statements,
  name: string | null,
  mtime: number,
): KnownHead {
  const generation = newGeneration();
  const { lastInsertRowid } = statements.insertSession.run(name, generation, toMicroseconds(mtime));
  return { id: Number(lastInsertRowid), generation, seq: 0 };
}

function applyToKnown(connection: Connection, sessionId: string, change: Change): Applied | null {
  const known = connection.heads.get(sessionId);
  if (known === undefined || !isPlainAppend(change)) return null;
  const head = appendBehind(connection.statements, sessionId, known, change);
  return head === null ? null : { outcome: { head }, known: { ...known, seq: head.seq } };
}

function findDuplicate(
  statements: Statements,
  { id }: KnownHead,
  { batches }: Change,
): { key: string; from: number; to: number } | null {
  for (const { key } of batches) {
    if (key === undefined) continue;
    const [from, to] = statements.keyed.get(id, key) ?? [null, null];
    if (from !== null && to !== null) return { key, from, to };
  }
  return null;
}

/**
 * Drops the records above `keep` and starts a new generation. The batch that is cut in two loses
 * its key, since nobody could get its whole result any more.
 */
function cutRecords(
  statements: Statements,
  current: KnownHead | null,
  { keep, mtime }: Change,
): KnownHead | null {
  if (current === null || keep === undefined || keep >= current.seq) return current;
  const { id } = current;
  const key = statements.record.get(id, keep)?.[2] ?? null;
  const isCutInTwo = key !== null && statements.record.get(id, keep + 1)?.[2] === key;
  statements.cutRecords.run(id, keep, id);
  if (isCutInTwo) statements.dropKey.run(id, key);
  const generation = newGeneration();
  statements.renewSession.run(generation, toMicroseconds(mtime), id);
  statements.stampRecord.run(toMicroseconds(mtime), id, keep);
  return { id, generation, seq: keep };
}
