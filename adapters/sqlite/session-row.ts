import type { LogHead } from "../../src/index.ts";
import type { KnownHead } from "./known-heads.ts";
import type { Statements } from "./statements.ts";
import { missingRecord, toStoredRecord } from "./stored-record.ts";

/** The row of a session that exists, with its last seq; null when it is absent. */
export function findSession(statements: Statements, sessionId: string): KnownHead | null {
  const row = statements.session.get(sessionId);
  return row === undefined ? null : { id: row[0], generation: row[1], seq: row[2] ?? 0 };
}

/** The head of a log with its last record, which is read here. */
export function readHead(
  statements: Statements,
  sessionId: string,
  row: KnownHead | null,
): LogHead | null {
  if (row === null) return null;
  const { id, generation, seq } = row;
  if (seq === 0) return { seq, generation, tail: null };
  const tuple = statements.record.get(id, seq);
  if (tuple === undefined) throw missingRecord(sessionId, seq);
  return { seq, generation, tail: toStoredRecord(sessionId, tuple) };
}
