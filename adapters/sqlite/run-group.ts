import { quote } from "../../src/index.ts";
import type { Connection } from "./connection.ts";
import { requireUnmoved } from "./file-identity.ts";
import { isBusy, isOutcomeUnknown, unknownOutcome, wrapError } from "./sqlite-errors.ts";

/** One change of the database; it must be repeatable, since a lost transaction is run again. */
export interface Write<T> {
  /** The session it changes, for error messages. */
  readonly sessionId?: string | undefined;
  /** Runs inside a transaction, which may hold other writes too. */
  readonly run: (connection: Connection) => T;
  /** Runs as a single statement outside of any transaction; null: it needs more than that. */
  readonly runAlone?: ((connection: Connection) => T | null) | undefined;
  /** Called when it is committed, before its promise resolves. */
  readonly committed?: ((connection: Connection) => void) | undefined;
}

/** A write that waits for its transaction. */
export interface PendingWrite {
  readonly write: Write<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Set when it first meets a lock; on the clock of `performance.now()`. */
  deadline?: number;
}

/** Writes that another connection's lock has kept from running. */
export interface Blocked {
  readonly writes: readonly PendingWrite[];
  readonly error: unknown;
}

/**
 * Runs writes as one transaction and settles each. What throws in company is undone with the rest
 * and every write runs again alone: one cannot hurt another, and the usual case pays for no
 * savepoints.
 *
 * @returns the writes that met a lock, unsettled, or null
 */
export function runGroup(connection: Connection, group: readonly PendingWrite[]): Blocked | null {
  try {
    if (connection.file !== null) requireUnmoved(connection.file);
  } catch (error) {
    return rejectAll(group, error);
  }
  const [first] = group;
  if (group.length > 1 || first?.write.runAlone === undefined) return transact(connection, group);
  try {
    const result = first.write.runAlone(connection);
    return result === null ? transact(connection, group) : settle(connection, first, result);
  } catch (error) {
    return failCommit(group, error);
  }
}

/** Rejects a write with the kit's error for what the driver threw. */
export function rejectWrite({ write, reject }: PendingWrite, error: unknown): void {
  reject(wrapError(actionOf(write), error, write.sessionId));
}

function transact(connection: Connection, group: readonly PendingWrite[]): Blocked | null {
  const { begin, commit } = connection.statements;
  try {
    begin.run();
  } catch (error) {
    return isBusy(error) ? { writes: group, error } : rejectAll(group, error);
  }
  const results: unknown[] = [];
  try {
    for (const { write } of group) results.push(write.run(connection));
  } catch (error) {
    rollBack(connection);
    return group.length === 1 ? rejectAll(group, error) : transactOneByOne(connection, group);
  }
  try {
    commit.run();
  } catch (error) {
    rollBack(connection);
    return failCommit(group, error);
  }
  for (const [index, pending] of group.entries()) settle(connection, pending, results[index]);
  return null;
}

function transactOneByOne(connection: Connection, group: readonly PendingWrite[]): Blocked | null {
  for (const [index, pending] of group.entries()) {
    const blocked = transact(connection, [pending]);
    // Whatever comes later may build upon it and keeps its place behind it.
    if (blocked !== null) return { writes: group.slice(index), error: blocked.error };
  }
  return null;
}

function failCommit(group: readonly PendingWrite[], error: unknown): Blocked | null {
  if (isBusy(error)) return { writes: group, error };
  if (!isOutcomeUnknown(error)) return rejectAll(group, error);
  for (const { write, reject } of group) reject(unknownOutcome(actionOf(write), error));
  return null;
}

/** SQLite has rolled back already after errors such as a full disk; closing does it in any case. */
function rollBack({ database, statements }: Connection): void {
  try {
    if (database.inTransaction) statements.rollback.run();
  } catch {
    database.close();
  }
}

function settle(connection: Connection, pending: PendingWrite, result: unknown): null {
  pending.write.committed?.(connection);
  pending.resolve(result);
  return null;
}

function rejectAll(group: readonly PendingWrite[], error: unknown): null {
  for (const pending of group) rejectWrite(pending, error);
  return null;
}

function actionOf({ sessionId }: Write<unknown>): string {
  return sessionId === undefined ? "change the database" : `change session ${quote(sessionId)}`;
}
