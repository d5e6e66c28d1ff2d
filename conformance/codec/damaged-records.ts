import * as fc from "fast-check";

/** A record after somebody was at it. */
export interface DamagedRecord {
  /** What was done. */
  readonly what: string;
  readonly record: Uint8Array;
}

/** A record with each of its bits flipped. */
export function* flippedBits(record: Uint8Array): Generator<DamagedRecord> {
  for (let bit = 0; bit < record.length * 8; bit += 1) {
    const at = bit >> 3;
    const flipped = withByte(record, at, (record[at] ?? 0) ^ (1 << (bit & 7)));
    yield { what: `bit ${bit & 7} of byte ${at} flipped`, record: flipped };
  }
}

/** A record cut to each shorter length. */
export function* cutRecords(record: Uint8Array): Generator<DamagedRecord> {
  for (let length = 0; length < record.length; length += 1) {
    yield { what: `cut to ${length} bytes`, record: record.slice(0, length) };
  }
}

/** A record with more behind or before it. */
export function* extendedRecords(record: Uint8Array): Generator<DamagedRecord> {
  for (let byte = 0; byte < 256; byte += 1) {
    yield { what: `byte ${byte} added at the end`, record: Uint8Array.of(...record, byte) };
    yield { what: `byte ${byte} added at the front`, record: Uint8Array.of(byte, ...record) };
  }
  const zeros = Uint8Array.of(...record, ...new Uint8Array(16));
  yield { what: "16 zeros added", record: zeros };
  yield { what: "its own end added", record: Uint8Array.of(...record, ...record.subarray(-16)) };
  yield { what: "itself added", record: Uint8Array.of(...record, ...record) };
}

/** Two records put together in other ways than they were. */
export function* splicedRecords(one: Uint8Array, other: Uint8Array): Generator<DamagedRecord> {
  const middle = one.length >> 1;
  const [front, back] = [one.subarray(0, middle), one.subarray(middle)];
  yield { what: "its halves swapped", record: Uint8Array.of(...back, ...front) };
  yield { what: "its bytes turned around", record: one.toReversed() };
  for (let at = 1; at < Math.min(one.length, other.length); at += 1) {
    const head = Uint8Array.of(...one.subarray(0, at), ...other.subarray(at));
    yield { what: `spliced to another record at byte ${at}`, record: head };
    const insert = Uint8Array.from(one);
    insert.set(other.subarray(at, at + 16).subarray(0, one.length - at), at);
    yield { what: `16 bytes of another record put in at byte ${at}`, record: insert };
  }
}

interface Change {
  readonly kind: number;
  /** Where, from 0 up to 1. */
  readonly at: number;
  readonly value: number;
  readonly length: number;
  readonly source: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.nat(8),
  // Half of the changes are near the front, where lengths and flags stand.
  at: fc.oneof(fc.nat(9_999), fc.nat(999)).map((part) => part / 10_000),
  value: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255)),
  length: fc.nat(20),
  source: fc.nat(),
});

/** One of some records with one to four changes, most of it left right. */
export function mutatedRecord(valid: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const changes = fc.array(change, { minLength: 1, maxLength: 4 });
  return fc
    .tuple(fc.constantFrom(...valid), changes)
    .map(([record, list]) => list.reduce((bytes, one) => changed(bytes, one, valid), record));
}

function changed(bytes: Uint8Array, how: Change, valid: readonly Uint8Array[]): Uint8Array {
  const { kind, value, length } = how;
  const at = Math.floor(how.at * bytes.length);
  const [front, back] = [bytes.subarray(0, at), bytes.subarray(at)];
  const other = valid[how.source % valid.length] ?? bytes;
  const kinds: ReadonlyArray<() => Uint8Array> = [
    () => withByte(bytes, at, (bytes[at] ?? 0) ^ (1 << (value & 7))),
    () => withByte(bytes, at, value),
    () => front.slice(),
    () => back.slice(),
    () => Uint8Array.of(...front, ...other.subarray(at, at + length), ...back),
    () => Uint8Array.of(...front, ...back.subarray(length)),
    () => Uint8Array.of(...front, ...other.subarray(at)),
    () => Uint8Array.of(...bytes, ...back),
    () => Uint8Array.of(...bytes, value),
  ];
  return kinds[kind]?.() ?? bytes;
}

function withByte(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  if (at < copy.length) copy[at] = value;
  return copy;
}
