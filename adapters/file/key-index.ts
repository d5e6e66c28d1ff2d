import type { StoredRecord } from "../../src/index.ts";
import type { FilePort } from "./file-port.ts";
import { readForwards, type LogView } from "./log-reader.ts";

/** First and last seq of every keyed batch of one log. */
export type KeyIndex = Map<string, { from: number; to: number }>;

/**
 * Reads the keys of a whole log. Only appends with an idempotency key need them, and only the first
 * one of an owner pays: afterwards the index grows with the log.
 */
export async function readKeys(port: FilePort, view: LogView): Promise<KeyIndex> {
  const keys: KeyIndex = new Map();
  const everything = {
    sinceSeq: 0,
    untilSeq: Number.MAX_SAFE_INTEGER,
    limit: Infinity,
    reverse: false,
  };
  for await (const page of readForwards(port, view, everything)) addKeys(keys, page);
  return keys;
}

/** Adds the keys of records that follow those of the index. */
export function addKeys(keys: KeyIndex, records: readonly StoredRecord[]): void {
  for (const { key, seq } of records) {
    if (key === undefined) continue;
    const known = keys.get(key);
    if (known === undefined) keys.set(key, { from: seq, to: seq });
    else known.to = seq;
  }
}
