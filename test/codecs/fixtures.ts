import { seededRandom } from "../../bench/seeded-random.ts";
import { keyRing } from "../../codecs/index.ts";
import type { KeySource, RandomSource } from "../../codecs/index.ts";
import { CodecError, type Codec, type CodecContext } from "../../src/index.ts";

/** Two keys that everything in these tests is sealed with. */
export const firstKey: Uint8Array = new Uint8Array(32).fill(0x11);
export const secondKey: Uint8Array = new Uint8Array(32).fill(0x22);

/** A ring with nothing but the first key. */
export const firstRing: KeySource = keyRing({ primary: firstKey });

/** A ring with nothing but the second key. */
export const secondRing: KeySource = keyRing({ primary: secondKey });

const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Bytes of their hexadecimal spelling, in an array of their own. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

/** Lower-case hexadecimal spelling of bytes. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** A record's place in a log; by default the first record of one session. */
export function placeOf(place: Partial<CodecContext> = {}): CodecContext {
  return { sessionId: "session", seq: 1, ts: "2026-01-31T12:00:00.000Z", previous: null, ...place };
}

/** Pseudo-random bytes (mulberry32), the same for the same seed. */
export function pseudoRandom(seed: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  const next = seededRandom(seed);
  for (let index = 0; index < length; index += 1) bytes[index] = next() * 256;
  return bytes;
}

/** A random source for fixed results: hands out the given pieces, and then nothing. */
export function scriptedRandom(pieces: readonly Uint8Array[]): RandomSource {
  let next = 0;
  return {
    bytes(length) {
      const piece = pieces[next];
      next += 1;
      if (piece?.length !== length) throw new Error("the script has other bytes at this place");
      return piece.slice();
    },
    refresh: () => undefined,
  };
}

/** What a codec refuses bytes with; a result, or any other error, is a failure of the test. */
export async function refusalOf(
  codec: Codec,
  bytes: Uint8Array,
  place: CodecContext = placeOf(),
): Promise<CodecError> {
  try {
    await codec.decode(bytes, place);
  } catch (error) {
    if (error instanceof CodecError) return error;
    throw error;
  }
  throw new Error("wanted a refusal, met a result");
}

/** What `work` throws or rejects with; a result is a failure of the test. */
export async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("wanted an error, met a result");
}

/** The first thing that an iterable yields. */
export async function firstOf<T>(iterable: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of iterable) return item;
  return undefined;
}

/** A copy with one bit flipped. */
export function flipBit(bytes: Uint8Array, bit: number): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

/** A copy with one byte set. */
export function setByte(
  bytes: Uint8Array,
  position: number,
  value: number,
): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(bytes);
  copy[position] = value;
  return copy;
}
