import { CorruptLogError, type StoredRecord } from "../../src/index.ts";
import type { Row } from "./database.ts";

/** A record of the columns seq, ts, key, payload, sealed; null when they are all NULL. */
export function toStoredRecord(sessionId: string, columns: Row): StoredRecord | null {
  const [seqText, tsText, key, payload, sealed] = columns;
  if (seqText === null) return null;
  const seq = toInteger(seqText);
  const content = payload ?? sealed;
  if (typeof content !== "string" && !(content instanceof Uint8Array)) {
    throw new CorruptLogError(sessionId, seq, null, "it has no payload");
  }
  const ts = toTimestamp(sessionId, seq, Number(tsText));
  return typeof key === "string"
    ? { seq, ts, key, payload: content }
    : { seq, ts, payload: content };
}

/** A bigint of the server, which comes as digits. */
export function toInteger(value: unknown): number {
  const number = Number(value);
  if (value === null || !Number.isSafeInteger(number)) {
    throw new RangeError("the database holds a number that is no count");
  }
  return number;
}

/** Microseconds since the epoch, the finest step of `Change.mtime`. */
export function toMicroseconds(mtime: number): number {
  return Math.round(mtime * 1_000);
}

/** The error for a place in the log where a record should be. */
export function missingRecord(sessionId: string, seq: number): CorruptLogError {
  return new CorruptLogError(sessionId, seq, null, "its record is missing");
}

function toTimestamp(sessionId: string, seq: number, ts: number): string {
  if (!(Math.abs(ts) <= 8.64e15)) {
    throw new CorruptLogError(sessionId, seq, null, "its timestamp is not a time");
  }
  return new Date(ts).toISOString();
}
