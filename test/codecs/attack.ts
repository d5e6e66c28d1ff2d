import type { ErrorCode, StoredRecord } from "../../src/index.ts";
import { payloadOf, type Scene } from "./attack-scene.ts";

/** What a reader meets in the place of the log, and how it must end. */
export interface Forgery {
  readonly records: readonly StoredRecord[];
  /** What reading fails with; null for what only an anchor can detect. */
  readonly code: ErrorCode | null;
  /** Where reading fails; by default at the first record that is not the log's. */
  readonly seq?: number;
}

/** One idea of somebody who can write to the storage, tried in every way. */
export interface Attack {
  readonly name: string;
  readonly forgeries: readonly Forgery[];
}

/** Copies of records, with a seq for each place. */
export function inOrder(...records: ReadonlyArray<StoredRecord | undefined>): StoredRecord[] {
  return records.flatMap((record, index) =>
    record === undefined ? [] : [{ ...record, seq: index + 1 }],
  );
}

/** The log with one record changed. */
export function withRecord(
  scene: Scene,
  seq: number,
  change: Partial<StoredRecord>,
): StoredRecord[] {
  return scene.log.map((record) => (record.seq === seq ? { ...record, ...change } : record));
}

/** The log with the bytes of one record changed. */
export function withBytes(
  scene: Scene,
  seq: number,
  change: (bytes: Uint8Array) => Uint8Array,
): StoredRecord[] {
  return withRecord(scene, seq, { payload: change(payloadOf(scene.log[seq - 1]!)) });
}
