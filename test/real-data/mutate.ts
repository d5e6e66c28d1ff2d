import { seededRandom } from "../../bench/seeded-random.ts";

/** A change of stored bytes, and what it is called. */
export interface Mutation {
  readonly what: string;
  readonly bytes: Buffer;
}

type Random = () => number;

/** A file cut short. */
function cut(bytes: Buffer, random: Random): Mutation {
  const at = Math.floor(random() * bytes.length);
  return { what: `cut at byte ${at}`, bytes: bytes.subarray(0, at) };
}

/** A file that was hardly begun. */
function cutEarly(bytes: Buffer, random: Random): Mutation {
  return cut(bytes.subarray(0, 400), random);
}

/** A file that was nearly done. */
function cutLate(bytes: Buffer, random: Random): Mutation {
  const at = bytes.length - 1 - Math.floor(random() * Math.min(bytes.length, 2_000));
  return { what: `cut at byte ${at}`, bytes: bytes.subarray(0, at) };
}

/** What some file systems leave after a power cut: the length is new, the bytes never came. */
function pad(bytes: Buffer, random: Random): Mutation {
  const zeros = 1 + Math.floor(random() * 8_192);
  return {
    what: `${zeros} NUL bytes behind it`,
    bytes: Buffer.concat([bytes, Buffer.alloc(zeros)]),
  };
}

function cutAndPad(bytes: Buffer, random: Random): Mutation {
  const short = cut(bytes, random);
  const padded = pad(short.bytes, random);
  return { what: `${short.what}, ${padded.what}`, bytes: padded.bytes };
}

/** A sector that was never written. */
function hole(bytes: Buffer, random: Random): Mutation {
  const sector = 512;
  const at = Math.floor((random() * bytes.length) / sector) * sector;
  const copy = Buffer.from(bytes);
  copy.fill(0, at, Math.min(at + sector, copy.length));
  return { what: `a hole of ${sector} bytes at byte ${at}`, bytes: copy };
}

function flip(bytes: Buffer, random: Random): Mutation {
  const at = Math.floor(random() * bytes.length);
  const bit = Math.floor(random() * 8);
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  return { what: `bit ${bit} of byte ${at} flipped`, bytes: copy };
}

const kinds = [cut, cutEarly, cutLate, pad, cutAndPad, hole, flip];

/** Mutation number `index` of a file; the same index and bytes give the same one. */
export function mutate(bytes: Buffer, index: number): Mutation {
  const random = seededRandom(Math.imul(index + 1, 0x9e3779b1));
  const kind = kinds[index % kinds.length] ?? cut;
  return kind(bytes, random);
}
