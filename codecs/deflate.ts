import type nodeZlib from "node:zlib";
import { deflateSync, Inflate, inflateSync } from "fflate";

/** Raw deflate (RFC 1951), in one call each. Both implementations read each other's output. */
export interface Deflate {
  readonly id: "zlib" | "fflate";
  /** Deflates at a level from 1 to 9; the result may be longer than the input. */
  deflate(bytes: Uint8Array, level: number, dictionary: Uint8Array | undefined): Uint8Array;
  /**
   * @param length - what the result must have; never more is produced, however much the input holds
   * @returns null when the input is not deflate data of exactly that length
   */
  inflate(bytes: Uint8Array, length: number, dictionary: Uint8Array | undefined): Uint8Array | null;
}

type Zlib = Pick<typeof nodeZlib, "deflateRawSync" | "inflateRawSync">;

/** `node:zlib` where the platform has it: it inflates four to ten times faster. */
export function defaultDeflate(): Deflate {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown };
  };
  const zlib = process?.getBuiltinModule?.("node:zlib") as Zlib | undefined;
  return zlib !== undefined && honoursDictionary(zlib) ? zlibDeflate(zlib) : fflateDeflate;
}

/** Some platforms accept a dictionary for raw deflate and ignore it, and read nobody else's output. */
function honoursDictionary(zlib: Zlib): boolean {
  const text = new TextEncoder().encode("a dictionary that is honoured ".repeat(40));
  const deflated = fflateDeflate.deflate(text, 6, text);
  return zlibDeflate(zlib).inflate(deflated, text.length, text) !== null;
}

/**
 * Bytes of output that zlib allocates at a time: its default of 16 KiB is a sixth of the time that
 * inflating 1 KiB takes. It wants at least 64, and takes another chunk whenever one is full.
 */
function chunkFor(length: number): number {
  return Math.min(length + 64, 16 * 1024);
}

/** Bytes before the end of its window that zlib does not look back to (MIN_LOOKAHEAD in deflate.h). */
const outOfReach = 262;

/**
 * The smallest window, as a power of two, in which all of so many bytes are in reach. The result is
 * the same as with the largest one, of which zlib would allocate and clear 256 KiB for every record.
 */
function windowBitsFor(length: number): number {
  return Math.min(15, Math.max(9, Math.ceil(Math.log2(length + outOfReach))));
}

/** Raw deflate by `node:zlib`. */
export function zlibDeflate(zlib: Zlib): Deflate {
  return {
    id: "zlib",
    deflate: (bytes, level, dictionary) =>
      zlib.deflateRawSync(bytes, {
        level,
        windowBits: windowBitsFor((dictionary?.length ?? 0) + bytes.length),
        chunkSize: chunkFor(bytes.length),
        ...(dictionary === undefined ? {} : { dictionary }),
      }),
    inflate(bytes, length, dictionary) {
      try {
        // `info` tells how much of the input was used; zlib itself accepts bytes behind the end.
        const result = zlib.inflateRawSync(bytes, {
          info: true,
          maxOutputLength: length + 1,
          chunkSize: chunkFor(length),
          ...(dictionary === undefined ? {} : { dictionary }),
        }) as unknown as { buffer: Uint8Array; engine: { bytesWritten: number } };
        const whole = result.engine.bytesWritten === bytes.length;
        return whole && result.buffer.length === length ? result.buffer : null;
      } catch {
        return null;
      }
    },
  };
}

/** Input that is inflated in one call; fflate goes on decoding past `out`, so this bounds the time. */
const oneShotMaxBytes = 16 * 1024;

const pieceBytes = 4 * 1024;

/** Inflates piece by piece and stops as soon as there is more than there should be. */
function inflateInPieces(
  bytes: Uint8Array,
  length: number,
  dictionary: Uint8Array | undefined,
): Uint8Array | null {
  const out = new Uint8Array(length);
  let size = 0;
  const inflate = new Inflate(dictionary === undefined ? {} : { dictionary }, (chunk) => {
    if (size + chunk.length > length) throw new RangeError("more than was stated");
    out.set(chunk, size);
    size += chunk.length;
  });
  try {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      const end = Math.min(bytes.length, start + pieceBytes);
      inflate.push(bytes.subarray(start, end), end === bytes.length);
    }
  } catch {
    return null;
  }
  return size === length ? out : null;
}

/**
 * Raw deflate by fflate 0.8, made strict. fflate itself cuts its result silently when `out` is short,
 * returns zeros for an empty input, cuts some valid streams unless `out` is given, and its encoder
 * corrupts incompressible data behind a short dictionary. So the output gets one byte more than
 * expected and must leave exactly that one free, and what was deflated with a dictionary is
 * inflated and compared.
 */
export const fflateDeflate: Deflate = {
  id: "fflate",
  deflate(bytes, level, dictionary) {
    const options = { level: level as 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 };
    if (dictionary === undefined) return deflateSync(bytes, options);
    const deflated = deflateSync(bytes, { ...options, dictionary });
    const back = this.inflate(deflated, bytes.length, dictionary);
    const same = back !== null && back.every((byte, index) => byte === bytes[index]);
    // Longer than the input, so the caller stores it instead.
    return same ? deflated : new Uint8Array(bytes.length + 1);
  },
  inflate(bytes, length, dictionary) {
    if (bytes.length === 0) return null;
    if (bytes.length > oneShotMaxBytes) return inflateInPieces(bytes, length, dictionary);
    try {
      const out = new Uint8Array(length + 1);
      const result = inflateSync(bytes, dictionary === undefined ? { out } : { out, dictionary });
      return result.length === length ? result : null;
    } catch {
      return null;
    }
  },
};
