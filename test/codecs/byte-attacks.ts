import type { ErrorCode } from "../../src/index.ts";
import { withBytes, type Attack, type Forgery } from "./attack.ts";
import { payloadOf, type Scene } from "./attack-scene.ts";
import { flipBit, setByte } from "./fixtures.ts";

/**
 * Attacks on the bytes of a record that stays at its place.
 *
 * @param seqs - the records to attack; one has a record behind it and one does not
 */
export function byteAttacks(scene: Scene, seqs: readonly number[]): Attack[] {
  const on = (change: Changes, which = seqs): Forgery[] => forge(scene, which, change);
  const one = [2];
  return [
    { name: "a bit flipped", forgeries: on(flipped) },
    { name: "another byte in the fixed part of the header", forgeries: on(headers, one) },
    { name: "a record cut", forgeries: on(cut) },
    { name: "a record extended", forgeries: [...on(extended), ...on(extendedByAny, one)] },
    { name: "a part of another record in its place", forgeries: on(exchanged) },
  ];
}

type Change = readonly [(bytes: Uint8Array) => Uint8Array, ErrorCode];
type Changes = (record: Uint8Array, scene: Scene, index: number) => Change[];

function forge(scene: Scene, seqs: readonly number[], changes: Changes): Forgery[] {
  return seqs.flatMap((seq) =>
    changes(payloadOf(scene.log[seq - 1]!), scene, seq - 1).map(([change, code]) => ({
      records: withBytes(scene, seq, change),
      code,
    })),
  );
}

/** What a reader says about a record in which the byte at a position has another value. */
function codeAt(position: number, value: number): ErrorCode {
  if (position === 0) return "PLAINTEXT_IN_SEALED_LOG";
  if (position < 3) return "UNSUPPORTED_FORMAT";
  // Of the flags, only whether a record is padded is the record's to say; and that is sealed too.
  if (position === 3) return (value & ~2) === 1 ? "AUTH_FAILED" : "UNSUPPORTED_FORMAT";
  if (position < 12) return "KEY_UNKNOWN";
  return position < 56 ? "WRONG_KEY" : "AUTH_FAILED";
}

function flipped(record: Uint8Array): Change[] {
  return Array.from({ length: record.length * 8 }, (_, bit): Change => {
    const value = record[bit >> 3]! ^ (1 << (bit & 7));
    return [(bytes) => flipBit(bytes, bit), codeAt(bit >> 3, value)];
  });
}

function headers(record: Uint8Array): Change[] {
  const changes: Change[] = [];
  for (let position = 0; position < 4; position += 1) {
    for (let value = 0; value < 256; value += 1) {
      if (value === record[position]) continue;
      changes.push([(bytes) => setByte(bytes, position, value), codeAt(position, value)]);
    }
  }
  return changes;
}

function cut(record: Uint8Array, { sealing }: Scene): Change[] {
  const least = (sealing.name === "xchacha" ? 80 : 68) + 16;
  return Array.from(record, (_byte, length): Change => {
    const code = length < least ? "UNSUPPORTED_FORMAT" : "AUTH_FAILED";
    return [(bytes) => bytes.slice(0, length), length === 0 ? "PLAINTEXT_IN_SEALED_LOG" : code];
  });
}

function extended(): Change[] {
  return [
    [(bytes) => Uint8Array.of(...bytes, ...bytes), "AUTH_FAILED"],
    [(bytes) => Uint8Array.of(...bytes, ...new Uint8Array(16)), "AUTH_FAILED"],
    [(bytes) => Uint8Array.of(...bytes, ...bytes.subarray(-16)), "AUTH_FAILED"],
  ];
}

function extendedByAny(record: Uint8Array): Change[] {
  return Array.from({ length: 256 }, (_, value): Change[] => [
    [(bytes) => Uint8Array.of(...bytes, value), "AUTH_FAILED"],
    [
      (bytes) => Uint8Array.of(value, ...bytes),
      value === record[0] ? "UNSUPPORTED_FORMAT" : "PLAINTEXT_IN_SEALED_LOG",
    ],
  ]).flat();
}

/** Parts of a record that was sealed at the same place under another salt. */
function exchanged(record: Uint8Array, { sealing, otherSalt }: Scene, index: number): Change[] {
  const other = payloadOf(otherSalt[index]!);
  const nonceEnd = sealing.name === "xchacha" ? 80 : 68;
  const end = record.length;
  const put =
    (...ranges: Array<readonly [number, number]>) =>
    (bytes: Uint8Array): Uint8Array => {
      const copy = Uint8Array.from(bytes);
      for (const [from, to] of ranges) copy.set(other.subarray(from, to), from);
      return copy;
    };
  return [
    [put([12, 24]), "WRONG_KEY"],
    [put([24, 56]), "WRONG_KEY"],
    [put([12, 56]), "AUTH_FAILED"],
    [put([56, nonceEnd]), "AUTH_FAILED"],
    [put([0, nonceEnd]), "AUTH_FAILED"],
    [put([nonceEnd, end - 16]), "AUTH_FAILED"],
    [put([end - 16, end]), "AUTH_FAILED"],
    [put([nonceEnd, end]), "AUTH_FAILED"],
    [put([56, end]), "AUTH_FAILED"],
  ];
}
