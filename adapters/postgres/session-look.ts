import { type LogHead, type StoredRecord } from "../../src/index.ts";
import type { Row, Run } from "./database.ts";
import type { Statements } from "./statements.ts";
import { missingRecord, toInteger, toStoredRecord } from "./stored-record.ts";

/** Everything that a change is compared with, from one moment. */
export interface SessionLook {
  /** Row of the session; null when it is absent. */
  readonly id: string | null;
  readonly head: LogHead | null;
  /** A batch that has one of the keys that were asked for. */
  readonly duplicate: { readonly key: string; readonly from: number; readonly to: number } | null;
  /** How many changes have dropped records, in all sessions and so far. */
  readonly cuts: number;
}

/** Looks at a session, and for batches with one of `keys`. */
export async function lookAt(
  run: Run,
  { look }: Statements,
  sessionId: string,
  keys: Uint8Array,
): Promise<SessionLook> {
  const [row = []] = await run(look, [sessionId, keys]);
  const id = row[0] as string | null;
  const head = id === null ? null : headOf(sessionId, row.slice(1));
  return { id, head, duplicate: duplicateOf(row.slice(9)), cuts: toInteger(row[3]) };
}

function headOf(sessionId: string, row: Row): LogHead {
  const seq = toInteger(row[1]);
  const generation = String(row[0]);
  const tail: StoredRecord | null = toStoredRecord(sessionId, row.slice(3));
  if (tail === null && seq > 0) throw missingRecord(sessionId, seq);
  return { seq, generation, tail };
}

function duplicateOf([key, seq, batch]: Row): SessionLook["duplicate"] {
  if (typeof key !== "string") return null;
  const from = toInteger(seq);
  return { key, from, to: from + toInteger(batch) - 1 };
}
