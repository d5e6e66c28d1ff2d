/**
 * The bytes of a sealed record, as docs/format.md specifies them under "Envelope". No other file
 * knows their places.
 *
 * @module
 */
import type { AeadSuite } from "./aead.ts";
import { allocate, toHex } from "./bytes.ts";

/**
 * First byte of every sealed record. It occurs in no UTF-8 text, starts no gzip, zlib or zstd stream,
 * and no valid raw deflate stream.
 */
const magic = 0xf6;

const version = 1;
const flag = { chained: 1, padded: 2 } as const;

const offsets = { keyId: 4, salt: 12, commitment: 24, nonce: 56 } as const;

export const saltBytes = 12;
export const commitmentBytes = 32;
const tagBytes = 16;
const keyIdBytes = 8;

/** The clear part of a sealed record, parsed. */
export interface Envelope {
  readonly chained: boolean;
  readonly padded: boolean;
  /** 16 hexadecimal digits. */
  readonly keyId: string;
  readonly salt: Uint8Array;
  readonly commitment: Uint8Array;
  readonly nonce: Uint8Array;
  /** Everything before the ciphertext; authenticated as a whole. */
  readonly header: Uint8Array;
  /** Ciphertext and tag. */
  readonly sealed: Uint8Array;
}

/** Why bytes are no envelope that this reader accepts. */
export type EnvelopeFault = "plain" | "unsupported";

/** A header whose nonce is still zero; one serves all records of an epoch. */
export function createHeader(
  suite: AeadSuite,
  flags: { readonly chained: boolean; readonly padded: boolean },
  keyId: string,
  salt: Uint8Array,
  commitment: Uint8Array,
): Uint8Array {
  const header = new Uint8Array(offsets.nonce + suite.nonceBytes);
  header[0] = magic;
  header[1] = version;
  header[2] = suite.number;
  header[3] = (flags.chained ? flag.chained : 0) | (flags.padded ? flag.padded : 0);
  for (let index = 0; index < keyIdBytes; index += 1) {
    header[offsets.keyId + index] = Number.parseInt(keyId.slice(index * 2, index * 2 + 2), 16);
  }
  header.set(salt, offsets.salt);
  header.set(commitment, offsets.commitment);
  return header;
}

/** A copy of a header with its nonce. */
export function withNonce(header: Uint8Array, nonce: Uint8Array): Uint8Array {
  const complete = allocate(header.length);
  complete.set(header);
  complete.set(nonce, offsets.nonce);
  return complete;
}

/**
 * Parses a record. The suite is the reader's; a record cannot choose another one.
 *
 * @returns why not, when it is not one: `"plain"` without the magic byte
 */
export function parseEnvelope(bytes: Uint8Array, suite: AeadSuite): Envelope | EnvelopeFault {
  if (bytes[0] !== magic) return "plain";
  const headerBytes = offsets.nonce + suite.nonceBytes;
  const flags = bytes[3] ?? 0xff;
  if (
    bytes.length < headerBytes + tagBytes ||
    bytes[1] !== version ||
    bytes[2] !== suite.number ||
    (flags & ~(flag.chained | flag.padded)) !== 0
  ) {
    return "unsupported";
  }
  return {
    chained: (flags & flag.chained) !== 0,
    padded: (flags & flag.padded) !== 0,
    keyId: toHex(bytes.subarray(offsets.keyId, offsets.salt)),
    salt: bytes.subarray(offsets.salt, offsets.commitment),
    commitment: bytes.subarray(offsets.commitment, offsets.nonce),
    nonce: bytes.subarray(offsets.nonce, headerBytes),
    header: bytes.subarray(0, headerBytes),
    sealed: bytes.subarray(headerBytes),
  };
}

/** The tag of a sealed record: its last bytes. */
export function tagOf(record: Uint8Array): Uint8Array {
  return record.subarray(-tagBytes);
}
