import { CodecError, type Codec, type CodecContext } from "../src/index.ts";

/** How {@link xorCodec} differs from one test to the next. */
export interface XorOptions {
  readonly id?: string;
  /** Two codecs with different secrets cannot read each other's records. */
  readonly secret?: number;
}

const encoder = new TextEncoder();
const checksumBytes = 4;

/**
 * No secrecy, but as strict as a real codec: a record is a line that names its context, the XORed
 * bytes, and a checksum of both. The line holds the end of the record before, which is that one's
 * checksum, so records form a chain and none can be read in another place.
 */
export function xorCodec({ id = "xor", secret = 0x5a }: XorOptions = {}): Codec {
  return {
    id,
    kind: "aead",
    encode(bytes, context) {
      const place = placeOf(context);
      const sealed = new Uint8Array(place.length + bytes.length + checksumBytes);
      sealed.set(place);
      for (let index = 0; index < bytes.length; index += 1) {
        sealed[place.length + index] = bytes[index]! ^ secret;
      }
      const end = sealed.length - checksumBytes;
      new DataView(sealed.buffer).setUint32(end, checksum(sealed.subarray(0, end), secret));
      return sealed;
    },
    decode(bytes, context) {
      const place = placeOf(context);
      const end = bytes.length - checksumBytes;
      const intact =
        end >= place.length &&
        place.every((byte, index) => bytes[index] === byte) &&
        checksum(bytes.subarray(0, end), secret) ===
          new DataView(bytes.buffer, bytes.byteOffset).getUint32(end);
      if (!intact) {
        const { sessionId, seq } = context;
        throw new CodecError(
          "DECODE_FAILED",
          { stage: id, sessionId, seq },
          "not as it was sealed",
        );
      }
      return bytes.slice(place.length, end).map((byte) => byte ^ secret);
    },
  };
}

/** The same codec, but it waits, now and then long enough for any other work to get in between. */
export function asyncCodec(inner: Codec): Codec {
  return {
    id: inner.id,
    kind: inner.kind,
    async encode(bytes, context) {
      await pause(context);
      return inner.encode(bytes, context);
    },
    async decode(bytes, context) {
      await pause(context);
      return inner.decode(bytes, context);
    },
  };
}

async function pause({ seq }: CodecContext): Promise<void> {
  if (seq % 8 === 1) await new Promise(setImmediate);
}

function placeOf({ sessionId, seq, ts, previous }: CodecContext): Uint8Array {
  const link = previous === null ? null : Array.from(previous.slice(-checksumBytes));
  return encoder.encode(`${JSON.stringify([sessionId, seq, ts, link])}\n`);
}

/** FNV-1a. */
function checksum(bytes: Uint8Array, secret: number): number {
  let hash = 0x811c9dc5 ^ secret;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
