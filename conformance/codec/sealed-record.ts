import type { Codec, CodecContext } from "../../src/index.ts";
import { Violation } from "../check.ts";

/** A record together with what it was made of. */
export interface SealedRecord {
  readonly bytes: Uint8Array;
  readonly place: CodecContext;
  readonly record: Uint8Array;
}

const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** A place in a log; by default the first of one session. */
export function placeOf(place: Partial<CodecContext> = {}): CodecContext {
  return { sessionId: "session", seq: 1, ts: timeOf(1), previous: null, ...place };
}

/** The time of a record, one second after the one before. */
function timeOf(seq: number): string {
  return new Date(Date.UTC(2026, 0, 31, 12) + seq * 1_000).toISOString();
}

/**
 * What a codec makes of bytes, in an array of its own: whether codecs let go of what they give and
 * leave alone what they get is a property of its own.
 *
 * @throws Violation for a result that is no bytes
 */
export async function encode(
  codec: Codec,
  bytes: Uint8Array,
  place: CodecContext,
): Promise<Uint8Array> {
  return ownBytes(await codec.encode(Uint8Array.from(bytes), copyOf(place)), "encode");
}

/** What a codec makes of a record, under the terms of {@link encode}. */
export async function decode(
  codec: Codec,
  record: Uint8Array,
  place: CodecContext,
): Promise<Uint8Array> {
  return ownBytes(await codec.decode(Uint8Array.from(record), copyOf(place)), "decode");
}

/** A record for each of some payloads. */
export type LogOf<Payloads extends readonly Uint8Array[]> = {
  readonly [Index in keyof Payloads]: SealedRecord;
};

/** A log of one session, each record behind the one before it. */
export async function sealLog<const Payloads extends readonly Uint8Array[]>(
  codec: Codec,
  payloads: Payloads,
  sessionId: string = placeOf().sessionId,
): Promise<LogOf<Payloads>> {
  const log: SealedRecord[] = [];
  for (const [index, bytes] of payloads.entries()) {
    const seq = index + 1;
    const previous = log.at(-1)?.record ?? null;
    const place = placeOf({ sessionId, seq, ts: timeOf(seq), previous });
    log.push({ bytes, place, record: await encode(codec, bytes, place) });
  }
  return log as LogOf<Payloads>;
}

/** Equal, byte for byte. */
export function same(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

/** The same place with bytes of its own. */
export function copyOf({ previous, ...place }: CodecContext): CodecContext {
  return { ...place, previous: previous === null ? null : Uint8Array.from(previous) };
}

function ownBytes(value: unknown, step: string): Uint8Array {
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  throw new Violation(`${step} gave no bytes`);
}
