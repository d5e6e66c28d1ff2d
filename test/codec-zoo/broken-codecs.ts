import { createCipheriv, createHmac, randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { CodecError, type Codec, type CodecContext } from "../../src/index.ts";
import {
  everyDamage,
  everyPlace,
  transforming,
  withMethod,
  withStep,
  type BrokenCodec,
} from "./broken-codec.ts";
import {
  decryptUnchecked,
  partsOf,
  refusal,
  sealingCodec,
  soundSteps,
  tagOf,
} from "./sealing-codec.ts";

/** Runs `work`, and does `otherwise` with what it throws. */
function rescued<T>(work: () => T, otherwise: (error: CodecError) => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodecError) return otherwise(error);
    throw error;
  }
}

const ignoring: readonly BrokenCodec[] = [
  withStep({ name: "ignores its place", belief: "the store keeps it", fails: everyPlace }, () => ({
    aad: () => partsOf(),
  })),
  withStep({ name: "ignores the chain", belief: "the seq is enough", fails: ["C12"] }, () => ({
    aad: ({ sessionId, seq, ts }) => partsOf(sessionId, String(seq), ts),
  })),
  withStep({ name: "ignores the seq", belief: "the chain is enough", fails: ["C10"] }, () => ({
    aad: ({ sessionId, ts, previous }) => partsOf(sessionId, ts, tagOf(previous)),
  })),
  withStep({ name: "ignores the session", belief: "ids are secret", fails: ["C09"] }, () => ({
    aad: ({ seq, ts, previous }) => partsOf(String(seq), ts, tagOf(previous)),
  })),
  withStep({ name: "ignores the time", belief: "it is no content", fails: ["C11"] }, () => ({
    aad: ({ sessionId, seq, previous }) => partsOf(sessionId, String(seq), tagOf(previous)),
  })),
  withStep({ name: "joins parts without lengths", belief: "all is in", fails: ["C09"] }, () => ({
    aad: ({ sessionId, seq, ts, previous }) =>
      Buffer.concat([Buffer.from(`${sessionId}${seq}${ts}`), tagOf(previous)]),
  })),
  withStep({ name: "counts the seq in 32 bits", belief: "it is enough", fails: ["C10"] }, () => ({
    aad: ({ sessionId, seq, ts, previous }) =>
      partsOf(sessionId, String(seq >>> 0), ts, tagOf(previous)),
  })),
];

const repeating: readonly BrokenCodec[] = [
  withStep(
    { name: "has one nonce for all", belief: "the key is secret", fails: ["C15", "C16"] },
    () => ({ nonce: () => new Uint8Array(12) }),
  ),
  withStep(
    { name: "makes the nonce from the seq", belief: "it is unique", fails: ["C15", "C16"] },
    () => ({ nonce: ({ seq }) => Buffer.from(String(seq).padStart(12, "0").slice(-12)) }),
  ),
  withStep(
    { name: "counts nonces from its start", belief: "they are unique", fails: ["C15", "C16"] },
    () => {
      let count = 0;
      return { nonce: () => Buffer.from(String((count += 1)).padStart(12, "0")) };
    },
  ),
  withStep(
    { name: "makes the nonce from the content", belief: "it never repeats", fails: ["C15"] },
    ({ key }) => ({
      nonce: (_context, bytes) => createHmac("sha256", key).update(bytes).digest().subarray(0, 12),
    }),
  ),
  withMethod(
    { name: "has a preview in clear", belief: "lists need one", fails: ["C16", "C17"] },
    (sound) => ({
      encode: async (bytes, context) => {
        const preview = Buffer.alloc(32);
        preview.set(bytes.subarray(0, 32));
        const session = `${context.sessionId}\0${preview.toString("hex")}`;
        const record = await sound.encode(bytes, { ...context, sessionId: session });
        return Buffer.concat([preview, record]);
      },
      decode: (bytes, context) => {
        const preview = Buffer.from(bytes.subarray(0, 32)).toString("hex");
        const session = `${context.sessionId}\0${preview}`;
        return rescued(
          () => sound.decode(bytes.subarray(32), { ...context, sessionId: session }),
          ({ code }) => {
            throw refusal(code as "AUTH_FAILED", context);
          },
        );
      },
      isCurrent: (bytes, sessionId) => sound.isCurrent?.(bytes.subarray(32), sessionId) ?? false,
    }),
  ),
];

const lenient: readonly BrokenCodec[] = [
  withMethod(
    {
      name: "gives what it decrypted though the tag is wrong",
      belief: "most of it may be right",
      fails: [...everyPlace, "C18", "C19", "C20"],
    },
    (sound, key) => ({
      decode: (bytes, context) =>
        rescued(
          () => sound.decode(bytes, context),
          (error) => {
            if (error.code !== "AUTH_FAILED") throw error;
            return decryptUnchecked(key, bytes);
          },
        ),
    }),
  ),
  withMethod(
    {
      name: "gives an empty object when it fails",
      belief: "a reader should not crash",
      fails: [...everyPlace, "C14", ...everyDamage, "C30"],
    },
    (sound) => ({
      decode: (bytes, context) =>
        rescued(
          () => sound.decode(bytes, context),
          () => Buffer.from("{}"),
        ),
    }),
  ),
  withMethod(
    {
      name: "takes what is not sealed for plain text",
      belief: "old logs have to stay readable",
      fails: everyDamage,
    },
    (sound) => ({
      decode: (bytes, context) => (bytes[0] === 0xc0 ? sound.decode(bytes, context) : bytes),
    }),
  ),
  withMethod(
    { name: "ignores bytes at the end", belief: "the length says it", fails: ["C19", "C20"] },
    (sound) => ({
      encode: async (bytes, context) => {
        const record = await sound.encode(bytes, context);
        const length = Buffer.alloc(4);
        length.writeUInt32BE(record.length);
        return Buffer.concat([length, record]);
      },
      decode: (bytes, context) => {
        if (bytes.length < 4) throw refusal("UNSUPPORTED_FORMAT", context);
        const length = Buffer.from(bytes).readUInt32BE();
        if (length > bytes.length - 4) throw refusal("UNSUPPORTED_FORMAT", context);
        return sound.decode(bytes.subarray(4, 4 + length), context);
      },
      isCurrent: (bytes, sessionId) => sound.isCurrent?.(bytes.subarray(4), sessionId) ?? false,
    }),
  ),
  withStep(
    { name: "takes tags of four bytes", belief: "the library checks", fails: ["C19", "C20"] },
    ({ key }) => {
      const run = (nonce: Uint8Array, bytes: Uint8Array): Uint8Array =>
        createCipheriv("aes-256-ctr", key, Buffer.concat([nonce, Buffer.alloc(4)])).update(bytes);
      const mac = (nonce: Uint8Array, aad: Uint8Array, text: Uint8Array): Buffer =>
        createHmac("sha256", key)
          .update(partsOf(nonce, aad, text))
          .digest()
          .subarray(0, 16);
      return {
        seal(nonce, aad, bytes) {
          const length = Buffer.alloc(4);
          length.writeUInt32BE(bytes.length);
          const text = Buffer.concat([length, run(nonce, bytes)]);
          return Buffer.concat([text, mac(nonce, aad, text)]);
        },
        open(nonce, aad, sealed) {
          const end = 4 + Buffer.from(sealed).readUInt32BE();
          const [text, tag] = [sealed.subarray(0, end), sealed.subarray(end)];
          if (tag.length < 4 || tag.length > 16) return null;
          const isRight = mac(nonce, aad, text).subarray(0, tag.length).equals(tag);
          return isRight ? run(nonce, text.subarray(4)) : null;
        },
      };
    },
  ),
  withStep(
    { name: "seals the front apart", belief: "a list needs no more", fails: ["C19", "C20"] },
    (sound) => {
      const frontBytes = 16;
      const split = (bytes: Uint8Array, at: number): Uint8Array[] =>
        bytes.length > at ? [bytes.subarray(0, at), bytes.subarray(at)] : [bytes];
      const aadOf = (nonce: Uint8Array, aad: Uint8Array, index: number): Uint8Array =>
        partsOf(nonce, aad, String(index));
      return {
        nonce: () => new Uint8Array(12),
        seal: (nonce, aad, bytes) =>
          Buffer.concat(
            split(bytes, frontBytes).flatMap((part, index) => {
              const own = randomBytes(12);
              return [own, sound.seal(own, aadOf(nonce, aad, index), part)];
            }),
          ),
        open(nonce, aad, sealed) {
          const parts = split(sealed, 12 + frontBytes + 16).map((part, index) =>
            part.length < 12 + 16
              ? null
              : sound.open(part.subarray(0, 12), aadOf(nonce, aad, index), part.subarray(12)),
          );
          return parts.includes(null) ? null : Buffer.concat(parts as Uint8Array[]);
        },
      };
    },
  ),
];

const ruinous: readonly BrokenCodec[] = [
  withMethod(
    { name: "wipes what it encoded", belief: "plaintext has to go", fails: ["C05"] },
    (sound) => ({
      encode: async (bytes, context) => {
        const record = await sound.encode(bytes, context);
        bytes.fill(0);
        return record;
      },
    }),
  ),
  withMethod(
    {
      name: "has one buffer for its results",
      belief: "it saves allocations",
      // A group of appends is kept until it is stored, so the engine stores copies of the last.
      fails: ["C06", "C07", "C28", "C30"],
    },
    (sound) => {
      const buffer = new Uint8Array(4 * 1_048_576);
      return {
        encode(bytes, context) {
          const record = sound.encode(bytes, context) as Uint8Array;
          buffer.set(record);
          return buffer.subarray(0, record.length);
        },
      };
    },
  ),
  withMethod(
    { name: "shares a field between calls", belief: "one call at a time", fails: ["C07"] },
    (sound) => {
      let place: CodecContext;
      return {
        async encode(bytes, context) {
          place = context;
          await Promise.resolve();
          return sound.encode(bytes, place);
        },
        async decode(bytes, context) {
          place = context;
          await Promise.resolve();
          return sound.decode(bytes, place);
        },
      };
    },
  ),
  withMethod(
    { name: "reads the buffer behind a view", belief: "it is the same", fails: ["C08"] },
    (sound) => ({
      encode: (bytes, context) => sound.encode(new Uint8Array(bytes.buffer), context),
      decode: (bytes, context) => sound.decode(new Uint8Array(bytes.buffer), context),
    }),
  ),
  withStep(
    {
      name: "keeps a secret in the object",
      belief: "it lives as long as the log",
      fails: ["C03", "C28", "C31"],
    },
    (sound) => {
      const pepper = randomBytes(16);
      return { aad: (context) => Buffer.concat([pepper, sound.aad(context)]) };
    },
  ),
  withMethod(
    { name: "locks itself after tampering", belief: "safety first", fails: ["C04", "C07"] },
    (sound) => {
      let locked = false;
      return {
        decode(bytes, context) {
          if (locked) throw refusal("AUTH_FAILED", context);
          return rescued(
            () => sound.decode(bytes, context),
            (error) => {
              locked = error.code === "AUTH_FAILED";
              throw error;
            },
          );
        },
      };
    },
  ),
  transforming(
    { name: "goes by way of text", belief: "events are JSON", fails: ["C02", "C08"] },
    {},
    {
      encode: (bytes) => Buffer.from(new TextDecoder().decode(bytes)),
      decode: (bytes) => Uint8Array.from(bytes),
    },
  ),
];

/** Replaces what a codec throws. */
function throwing(
  about: Pick<BrokenCodec, "name" | "belief" | "fails">,
  replace: (error: CodecError, context: CodecContext, key: Uint8Array, bytes: Uint8Array) => Error,
): BrokenCodec {
  return withMethod(about, (sound, key) => ({
    decode: (bytes, context) =>
      rescued(
        () => sound.decode(bytes, context),
        (error) => {
          throw replace(error, context, key, bytes);
        },
      ),
  }));
}

const everyRefusal = [...everyPlace, "C14", ...everyDamage];

const misleading: readonly BrokenCodec[] = [
  throwing(
    {
      name: "throws errors of its own",
      belief: "an error is an error",
      fails: [...everyRefusal, "C22", "C23", "C30"],
    },
    () => new RangeError("refused"),
  ),
  throwing(
    {
      name: "says that the key is out of reach",
      belief: "it may come back",
      fails: [...everyRefusal, "C22", "C23", "C30"],
    },
    (_error, context) => refusal("KEY_UNAVAILABLE", context),
  ),
  throwing(
    { name: "calls another key tampering", belief: "the tag is all", fails: ["C14", "C30"] },
    (_error, context) => refusal("AUTH_FAILED", context),
  ),
  throwing(
    { name: "does not say where", belief: "the stack tells it", fails: ["C23"] },
    ({ code }, context) => refusal(code as "AUTH_FAILED", { ...context, sessionId: "", seq: 0 }),
  ),
  throwing(
    { name: "shows its key in errors", belief: "it helps to debug", fails: ["C24"] },
    ({ code }, context, key) =>
      refusal(code as "AUTH_FAILED", context, `with key ${Buffer.from(key).toString("base64")}`),
  ),
  throwing(
    { name: "shows plaintext in errors", belief: "it helps to debug", fails: ["C24"] },
    (error, context, key, bytes) =>
      error.code === "AUTH_FAILED"
        ? refusal("AUTH_FAILED", context, Buffer.from(decryptUnchecked(key, bytes)).toString())
        : error,
  ),
  withMethod(
    { name: "keeps its key where it is printed", belief: "it is ours", fails: ["C24"] },
    (_sound, key) => ({ key }) as Partial<Codec>,
  ),
  withMethod({ name: "calls itself a transform", belief: "it is", fails: ["C01"] }, () => ({
    kind: "transform",
  })),
  withMethod({ name: "calls everything current", belief: "it saves work", fails: ["C26"] }, () => ({
    isCurrent: () => true,
  })),
  withMethod(
    { name: "calls nothing current", belief: "to be safe", fails: ["C26", "C28"] },
    () => ({ isCurrent: () => false }),
  ),
];

/** A codec that binds its pipeline, and keeps it in itself. */
function placeable(sound: Codec): Partial<Codec> {
  let pipeline = "zoo";
  const bound = (context: CodecContext): CodecContext => ({
    ...context,
    ts: `${context.ts} ${pipeline}`,
  });
  const codec: Codec = {
    ...sound,
    encode: (bytes, context) => sound.encode(bytes, bound(context)),
    decode: (bytes, context) => sound.decode(bytes, bound(context)),
    place(at) {
      pipeline = at.pipeline;
      return codec;
    },
  };
  return codec;
}

const deflated: Pick<Codec, "encode"> = { encode: (bytes) => deflateRawSync(bytes) };

/** Most bytes that the zoo's compressing codecs promise. */
const most = 65_536;

function inflate(bytes: Uint8Array, context: CodecContext, maxOutputLength?: number): Uint8Array {
  try {
    return inflateRawSync(bytes, maxOutputLength === undefined ? {} : { maxOutputLength });
  } catch {
    throw refusal("DECODE_FAILED", context);
  }
}

const placing: readonly BrokenCodec[] = [
  withMethod(
    { name: "changes itself when it is placed", belief: "once is all", fails: ["C27"] },
    placeable,
  ),
  withMethod(
    { name: "forgets its place when it is placed", belief: "others bind", fails: ["C27"] },
    (_sound, key) => ({
      place: () => sealingCodec({ ...soundSteps(key), aad: () => partsOf() }),
    }),
  ),
  transforming(
    { name: "inflates without a limit", belief: "events are small", fails: ["C25"] },
    { maxDecodedBytes: most },
    {
      encode(bytes, context) {
        if (bytes.length > most) throw refusal("LIMIT_EXCEEDED", context);
        return deflateRawSync(bytes);
      },
      decode: (bytes, context) => inflate(bytes, context),
    },
    deflated.encode,
  ),
  transforming(
    { name: "writes more than it reads", belief: "the reader checks", fails: ["C25"] },
    { maxDecodedBytes: most },
    { ...deflated, decode: (bytes, context) => inflate(bytes, context, most) },
    deflated.encode,
  ),
];

/** Codecs as people write them, each with one fault. */
export const brokenCodecs: readonly BrokenCodec[] = [
  ...ignoring,
  ...repeating,
  ...lenient,
  ...ruinous,
  ...misleading,
  ...placing,
];
