import { CorruptLogError, type StoredRecord } from "../../src/index.ts";
import type { RecordTuple } from "./statements.ts";

let lastMilliseconds = Number.NaN;
let lastText = "";

/** A row of `records` as the engine sees it; throws CorruptLogError when it cannot be one. */
export function toStoredRecord(sessionId: string, tuple: RecordTuple): StoredRecord {
  const [seq, ts, key, payload] = tuple;
  if (typeof payload !== "string" && !(payload instanceof Uint8Array)) {
    throw new CorruptLogError(sessionId, seq, null, "its payload is neither text nor bytes");
  }
  const text = toTimestamp(sessionId, seq, ts);
  return key === null ? { seq, ts: text, payload } : { seq, ts: text, key, payload };
}

/** Milliseconds since the epoch of an ISO 8601 timestamp, which has no finer digits. */
export function toMilliseconds(ts: string): number {
  if (ts === lastText) return lastMilliseconds;
  lastMilliseconds = Date.parse(ts);
  lastText = ts;
  return lastMilliseconds;
}

/** Microseconds since the epoch, the finest step of `Change.mtime`. */
export function toMicroseconds(mtime: number): number {
  return Math.round(mtime * 1_000);
}

/** The error for a place in the log where a record should be. */
export function missingRecord(sessionId: string, seq: number): CorruptLogError {
  return new CorruptLogError(sessionId, seq, null, "its record is missing");
}

/** Neighbours mostly share their timestamp, and making its text costs more than comparing. */
function toTimestamp(sessionId: string, seq: number, ts: number): string {
  if (ts === lastMilliseconds) return lastText;
  if (typeof ts !== "number" || !(Math.abs(ts) <= 8.64e15)) {
    throw new CorruptLogError(sessionId, seq, null, "its timestamp is not a time");
  }
  lastText = new Date(ts).toISOString();
  lastMilliseconds = ts;
  return lastText;
}
