/**
 * Raw deflate in a strict frame, as docs/format.md specifies it under "Compressed frame".
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { CodecError, limits, type Codec, type CodecContext } from "../src/index.ts";
import { agentEventsV1 } from "./agent-dictionary.ts";
import { concat, utf8 } from "./bytes.ts";
import { crc32 } from "./crc32.ts";
import { defaultDeflate, type Deflate } from "./deflate.ts";
import { decodeVarint, encodeVarint } from "./varint.ts";

/** Options of {@link compress}. */
export interface CompressOptions {
  /** 1 (fastest) to 9 (smallest). Levels above 1 gain about one point of size. Default 6. */
  readonly level?: number | undefined;
  /** Preset dictionary; `"none"` for none. Either is read whatever is set. Default the agents' one. */
  readonly dictionary?: "agent-events-v1" | "none" | undefined;
  /** Most bytes a record may decode to. Default 16 MiB, the largest event. */
  readonly maxDecodedBytes?: number | undefined;
  /** Which deflate to use; for tests. Default: `node:zlib` where there is one, else fflate. */
  readonly deflate?: Deflate | undefined;
}

const frameVersion = 1;
const method = { stored: 0, deflated: 1 } as const;
const flag = { dictionary: 1, checksum: 2 } as const;

/**
 * A dictionary helps small inputs; the bound keeps an input in one deflate block, which the fflate
 * encoder needs to be right (its faults are listed in deflate.ts).
 */
const dictionaryMaxInput = 16 * 1024;

/** Deflate cannot do better than this (zlib.net, "Maximum Compression Factor"). */
const maxRatio = 1_032;

interface Dictionary {
  readonly bytes: Uint8Array;
  /** First four bytes of the SHA-256. */
  readonly id: Uint8Array;
}

/**
 * Compresses each event alone, so that no event's length tells anything about another. Events that
 * would not get smaller are stored.
 *
 * Length still tells something about an event's own content. Leave it out for logs that mix an
 * attacker's text with a secret in one event.
 *
 * @throws RangeError for options out of bounds
 */
export function compress(options: CompressOptions = {}): Codec {
  return createCompress(options, true);
}

function createCompress(options: CompressOptions, checksum: boolean): Codec {
  const { level = 6, dictionary = "agent-events-v1", deflate = defaultDeflate() } = options;
  const { maxDecodedBytes = limits.maxEventBytes } = options;
  if (!Number.isInteger(level) || level < 1 || level > 9) {
    throw new RangeError(`level: wanted 1 to 9, met ${String(level)}`);
  }
  if (dictionary !== "none" && dictionary !== "agent-events-v1") {
    throw new RangeError('dictionary: wanted "agent-events-v1" or "none", met something else');
  }
  if (!Number.isInteger(maxDecodedBytes) || maxDecodedBytes < 1 || maxDecodedBytes > 2 ** 28 - 1) {
    throw new RangeError(`maxDecodedBytes: wanted 1 to 2^28-1, met ${String(maxDecodedBytes)}`);
  }
  return Object.freeze({
    id: "compress",
    kind: "transform",
    encode: (bytes: Uint8Array, context: CodecContext) => {
      if (bytes.length > maxDecodedBytes) {
        throw refuse(context, "LIMIT_EXCEEDED", `${bytes.length} bytes is over ${maxDecodedBytes}`);
      }
      return encodeFrame(bytes, { level, deflate, checksum, preset: dictionary !== "none" });
    },
    decode: (bytes: Uint8Array, context: CodecContext) =>
      decodeFrame(bytes, context, { deflate, checksum, maxDecodedBytes }),
    // An encrypting stage behind this one authenticates better than a checksum could.
    place: ({ after }: { readonly after: readonly Codec[] }) =>
      createCompress(
        options,
        after.every(({ kind }) => kind !== "aead"),
      ),
  } satisfies Codec);
}

function encodeFrame(
  bytes: Uint8Array,
  how: { level: number; deflate: Deflate; checksum: boolean; preset: boolean },
): Uint8Array {
  const dictionary =
    how.preset && bytes.length <= dictionaryMaxInput ? loadDictionary() : undefined;
  const deflated = how.deflate.deflate(bytes, how.level, dictionary?.bytes);
  const smaller = deflated.length < bytes.length;
  const used = smaller ? dictionary : undefined;
  const flags = (used === undefined ? 0 : flag.dictionary) | (how.checksum ? flag.checksum : 0);
  const head = [
    Uint8Array.of(frameVersion, smaller ? method.deflated : method.stored, flags),
    ...(used === undefined ? [] : [used.id]),
    encodeVarint(bytes.length),
  ];
  const body = smaller ? deflated : bytes;
  return how.checksum
    ? concat(...head, checksumOf(concat(...head), body), body)
    : concat(...head, body);
}

function decodeFrame(
  frame: Uint8Array,
  context: CodecContext,
  how: { deflate: Deflate; checksum: boolean; maxDecodedBytes: number },
): Uint8Array {
  const [version, usedMethod, flags] = frame;
  if (frame.length < 4 || version !== frameVersion || flags === undefined) {
    throw refuse(context, "UNSUPPORTED_FORMAT", "not a compressed frame of version 1");
  }
  const known = usedMethod === method.stored || usedMethod === method.deflated;
  if (!known || flags > (flag.dictionary | flag.checksum)) {
    throw refuse(context, "UNSUPPORTED_FORMAT", "unknown method or flags");
  }
  if (((flags & flag.checksum) !== 0) !== how.checksum) {
    const wanted = how.checksum ? "a checksum, met none" : "no checksum, met one";
    throw refuse(context, "UNSUPPORTED_FORMAT", `wanted ${wanted}`);
  }
  const dictionary = (flags & flag.dictionary) === 0 ? undefined : loadDictionary();
  const lengthStart = dictionary === undefined ? 3 : 7;
  if (dictionary !== undefined) {
    const same = dictionary.id.every((byte, index) => byte === frame[3 + index]);
    if (!same) throw refuse(context, "UNSUPPORTED_FORMAT", "unknown dictionary");
    if (usedMethod === method.stored) throw damaged(context);
  }
  const length = decodeVarint(frame, lengthStart);
  if (length === null) throw damaged(context);
  const bodyStart = length.end + (how.checksum ? 4 : 0);
  if (frame.length < bodyStart) throw damaged(context);
  const body = frame.subarray(bodyStart);
  if (how.checksum) {
    const expected = checksumOf(frame.subarray(0, length.end), body);
    const same = expected.every((byte, index) => byte === frame[length.end + index]);
    if (!same) throw damaged(context);
  }
  if (length.value > how.maxDecodedBytes) {
    const detail = `${length.value} bytes decoded is over ${how.maxDecodedBytes}`;
    throw refuse(context, "LIMIT_EXCEEDED", detail);
  }
  if (usedMethod === method.stored) {
    if (body.length !== length.value) throw damaged(context);
    return body;
  }
  // A frame is stored unless deflating made it smaller, and nothing deflates better than this.
  if (body.length >= length.value || length.value > maxRatio * body.length + 64) {
    throw damaged(context);
  }
  const bytes = how.deflate.inflate(body, length.value, dictionary?.bytes);
  if (bytes === null) throw damaged(context);
  return bytes;
}

let loaded: Dictionary | undefined;

function loadDictionary(): Dictionary {
  if (loaded === undefined) {
    const bytes = utf8(agentEventsV1);
    loaded = { bytes, id: sha256(bytes).subarray(0, 4) };
  }
  return loaded;
}

function checksumOf(head: Uint8Array, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, crc32(concat(head, body)));
  return bytes;
}

function damaged(context: CodecContext): CodecError {
  return refuse(context, "DECODE_FAILED", "the compressed frame is damaged");
}

function refuse(
  { sessionId, seq }: CodecContext,
  code: "UNSUPPORTED_FORMAT" | "DECODE_FAILED" | "LIMIT_EXCEEDED",
  detail: string,
): CodecError {
  return new CodecError(code, { stage: "compress", sessionId, seq }, detail);
}
