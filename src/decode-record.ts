import type { Codec, CodecContext } from "./codec.ts";
import { CheckpointError, CodecError, CorruptLogError } from "./errors.ts";
import type { NewRecord, StoredRecord } from "./record-store.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The payload of the record before, as codecs see it. */
export function previousOf(record: StoredRecord | null): Uint8Array | null {
  return record !== null && typeof record.payload !== "string" ? record.payload : null;
}

/** Turns an event's JSON text into what is stored. Without a codec that is the text itself. */
export async function encodeText(
  codec: Codec,
  text: string,
  context: CodecContext,
): Promise<Uint8Array> {
  const bytes: unknown = await codec.encode(encoder.encode(text), context);
  if (bytes instanceof Uint8Array) return bytes;
  throw new TypeError(`codec ${codec.id}: wanted encode() to give bytes, met something else`);
}

/**
 * The JSON text of a stored record.
 *
 * The caller's codec decides how the record is read, never the record: a plain record under a codec
 * and a sealed one without are refused.
 *
 * @param previous - the record before in the log, null for seq 1; used only with a codec
 * @returns a string, or a promise of one only if the codec is asynchronous
 */
export function decodeText(
  codec: Codec | undefined,
  sessionId: string,
  record: StoredRecord,
  previous: StoredRecord | null,
): string | Promise<string> {
  const { seq, ts, payload } = record;
  if (codec === undefined) {
    if (typeof payload === "string") return payload;
    const detail = "the record is sealed and no codec is configured";
    throw new CodecError("SEALED_IN_PLAIN_LOG", { stage: "none", sessionId, seq }, detail);
  }
  const place = { stage: codec.id, sessionId, seq };
  if (typeof payload === "string") {
    const detail = "the record is plain and a codec is configured";
    throw new CodecError("PLAINTEXT_IN_SEALED_LOG", place, detail);
  }
  const context: CodecContext = { sessionId, seq, ts, previous: previousOf(previous) };
  const refuse = (error: unknown): never => {
    // The cause of a stranger's codec may hold plaintext, so it goes no further.
    if (error instanceof CheckpointError) throw error;
    throw new CodecError("DECODE_FAILED", place, "the codec failed");
  };
  const toText = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes);
    } catch {
      throw new CodecError("DECODE_FAILED", place, "the decoded bytes are not UTF-8");
    }
  };
  try {
    const bytes = codec.decode(payload, context);
    return bytes instanceof Uint8Array ? toText(bytes) : bytes.then(toText).catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

/** The event in a record's JSON text. */
export function parseEvent(
  codec: Codec | undefined,
  sessionId: string,
  seq: number,
  text: string,
): object {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    event = undefined;
  }
  if (typeof event === "object" && event !== null && !Array.isArray(event)) return event;
  const detail = "the payload is not a JSON object";
  if (codec === undefined) throw new CorruptLogError(sessionId, seq, null, detail);
  throw new CodecError("DECODE_FAILED", { stage: codec.id, sessionId, seq }, detail);
}

/** Encodes texts that will stand one after the other, starting behind `head`. */
export async function encodeRecords(
  codec: Codec | undefined,
  sessionId: string,
  head: { readonly seq: number; readonly tail: StoredRecord | null },
  texts: ReadonlyArray<{ readonly ts: string; readonly text: string }>,
): Promise<NewRecord[]> {
  if (codec === undefined) return texts.map(({ ts, text }) => ({ ts, payload: text }));
  const records: NewRecord[] = [];
  let previous = previousOf(head.tail);
  let seq = head.seq;
  for (const { ts, text } of texts) {
    seq += 1;
    const payload = await encodeText(codec, text, { sessionId, seq, ts, previous });
    records.push({ ts, payload });
    previous = payload;
  }
  return records;
}
