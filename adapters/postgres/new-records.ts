import type { Change, RewriteRecord, StoredRecord } from "../../src/index.ts";
import { binaryArray } from "./binary-array.ts";

/** A record on its way in, with what is stored beside its payload. */
export interface NewRow {
  readonly ts: string;
  readonly key: string | null;
  /** Records of its keyed append, on the first of them. */
  readonly batch: number | null;
  readonly payload: string | Uint8Array;
}

/** The rows of all batches of a change, in order. */
export function rowsOf({ batches }: Pick<Change, "batches">): NewRow[] {
  return batches.flatMap(({ key, records }) =>
    records.map(({ ts, payload }, index) => {
      const batch = key !== undefined && index === 0 ? records.length : null;
      return { ts, key: key ?? null, batch, payload };
    }),
  );
}

/** A record that is written anew; how long its batch is shows only when all of it is there. */
export function rowOfRewritten({ ts, payload, key }: RewriteRecord): NewRow {
  return { ts, payload, key: key ?? null, batch: null };
}

/** The keys of what has none. */
export const noKeys: Buffer = binaryArray("text", []);

/** The keys of a change, as an array of the server. */
export function keysOf({ batches }: Pick<Change, "batches">): Buffer {
  const keys = batches.flatMap(({ key }) => (key === undefined ? [] : [key]));
  return keys.length === 0 ? noKeys : binaryArray("text", keys);
}

/** Rows as the five arrays of a statement. */
export function toArrays(rows: readonly NewRow[]): Buffer[] {
  const text = ({ payload }: NewRow): string | null =>
    typeof payload === "string" ? payload : null;
  const bytes = ({ payload }: NewRow): Uint8Array | null =>
    typeof payload === "string" ? null : payload;
  return [
    binaryArray(
      "int8",
      rows.map(({ ts }) => Date.parse(ts)),
    ),
    binaryArray(
      "text",
      rows.map(({ key }) => key),
    ),
    binaryArray(
      "int4",
      rows.map(({ batch }) => batch),
    ),
    binaryArray("text", rows.map(text)),
    binaryArray("bytea", rows.map(bytes)),
  ];
}

/** One row as three values: ts, and the payload as text or as bytes. */
export function toValues({ ts, payload }: NewRow): [string, string | null, Uint8Array | null] {
  const time = String(Date.parse(ts));
  return typeof payload === "string" ? [time, payload, null] : [time, null, payload];
}

/** Characters or bytes that one statement carries; a message of the protocol ends at 1 GiB. */
const chunkSize = 8 * 1024 * 1024;
const chunkRows = 10_000;

/** Rows in pieces that suit one statement each; at least one row a piece. */
export function* chunksOf(rows: readonly NewRow[]): Generator<NewRow[]> {
  let chunk: NewRow[] = [];
  let size = 0;
  for (const row of rows) {
    if (chunk.length > 0 && (chunk.length >= chunkRows || size + row.payload.length > chunkSize)) {
      yield chunk;
      chunk = [];
      size = 0;
    }
    chunk.push(row);
    size += row.payload.length;
  }
  if (chunk.length > 0) yield chunk;
}

/** Whether rows fit into one statement. */
export function fitsOneStatement(rows: readonly NewRow[]): boolean {
  if (rows.length > chunkRows) return false;
  let size = 0;
  for (const { payload } of rows) size += payload.length;
  return size <= chunkSize || rows.length === 1;
}

/** The last of rows that end at `seq`, as it will be read. */
export function tailOf(rows: readonly NewRow[], seq: number): StoredRecord | null {
  const last = rows.at(-1);
  if (last === undefined) return null;
  const { ts, key, payload } = last;
  return key === null ? { seq, ts, payload } : { seq, ts, key, payload };
}
