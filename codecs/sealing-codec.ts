import {
  CheckpointError,
  CodecError,
  quote,
  type Codec,
  type CodecContext,
  type CodecErrorCode,
  type CodecPlace,
} from "../src/index.ts";
import type { Aead } from "./aead.ts";
import { createBoundedMap } from "./bounded-map.ts";
import { equalInConstantTime, toHex, utf8 } from "./bytes.ts";
import { parseEnvelope, tagOf, withNonce, type Envelope } from "./envelope.ts";
import {
  beginEpoch,
  deriveKey,
  epochMaxRecords,
  type DerivedKey,
  type EpochBinding,
  type WritingEpoch,
} from "./epochs.ts";
import { isKeyMisuse, keyFailureOf } from "./key-failure.ts";
import type { KeySource } from "./key-source.ts";
import { createNonceGuard } from "./nonce-guard.ts";
import { pad, unpad } from "./padding.ts";
import { createRandomSource, type RandomSource } from "./random.ts";
import { recordAad } from "./record-aad.ts";
import type { SecretKey } from "./secret-key.ts";
import { selfTest } from "./self-test.ts";
import { whenReady } from "./when-ready.ts";

/** Options that every sealing codec has. */
export interface SealOptions {
  /** Where keys come from: `keyRing`, `sessionKeys` or `password`. */
  readonly keys: KeySource;
  /**
   * `"padme"` hides the exact length of what is sealed for 3 % of size; `"none"` does not. Default:
   * `"padme"` behind `compress()`, whose lengths tell something about the text, else `"none"`.
   */
  readonly pad?: "padme" | "none" | undefined;
  /**
   * Bind every record to the one before it, so that any accepted read is a state the log really had.
   * Costs no bytes. Readers and writers must agree. Default true.
   */
  readonly chain?: boolean | undefined;
  /** Bound into every key; separates applications or tenants that share keys. Default "". */
  readonly namespace?: string | undefined;
  /** Random bytes; only for tests with fixed results. Default: the platform's. */
  readonly random?: RandomSource | undefined;
}

/** Sessions whose keys are kept ready. */
const writingEpochs = 256;
const readingKeys = 1_024;

const nothing = new Uint8Array(0);

/** A codec that encrypts and authenticates each record at its place; the heart of `aesGcm`. */
export function createSealingCodec(aead: Aead, options: SealOptions, place?: CodecPlace): Codec {
  const { keys, chain = true, namespace = "", random = createRandomSource() } = options;
  const compressed = place?.before.some(({ id }) => id === "compress") === true;
  const { pad: padding = compressed ? "padme" : "none" } = options;
  requireOptions(keys, padding, chain, namespace);
  const stage = aead.suite.name;
  const binding: EpochBinding = { aead, namespace, pipeline: place?.pipeline ?? stage };
  const flags = { chained: chain, padded: padding === "padme" };
  const writing = createBoundedMap<WritingEpoch>(writingEpochs);
  const reading = createBoundedMap<DerivedKey>(readingKeys);
  const isNew = createNonceGuard();

  function encode(bytes: Uint8Array, context: CodecContext): Uint8Array | Promise<Uint8Array> {
    return placed(context, undefined, () =>
      whenReady(keys.current(context.sessionId, context.seq), (key) =>
        whenReady(epochFor(key, context.sessionId), (epoch) => seal(epoch, bytes, context)),
      ),
    );
  }

  function epochFor(key: SecretKey, sessionId: string): WritingEpoch | Promise<WritingEpoch> {
    const known = writing.get(sessionId);
    if (known?.keyId === key.id && known.records < epochMaxRecords) return known;
    return whenReady(beginEpoch(binding, flags, key, sessionId, random), (epoch) => {
      writing.set(sessionId, epoch);
      return epoch;
    });
  }

  function seal(
    epoch: WritingEpoch,
    bytes: Uint8Array,
    context: CodecContext,
  ): Uint8Array | Promise<Uint8Array> {
    epoch.records += 1;
    const nonce = random.bytes(aead.suite.nonceBytes);
    if (!isNew(nonce)) {
      throw refuse(context, "RNG_FAULT", "the random source repeated a nonce");
    }
    const header = withNonce(epoch.header, nonce);
    const aad = aadOf(header, epoch.sessionId, context);
    return aead.seal(epoch.key, nonce, aad, flags.padded ? pad(bytes) : bytes, header);
  }

  function decode(bytes: Uint8Array, context: CodecContext): Uint8Array | Promise<Uint8Array> {
    const envelope = parseEnvelope(bytes, aead.suite);
    if (envelope === "plain") {
      const detail = "wanted a sealed record, met bytes that are not sealed";
      throw refuse(context, "PLAINTEXT_IN_SEALED_LOG", detail);
    }
    if (envelope === "unsupported" || envelope.chained !== chain) {
      const detail = `wanted version 1, suite ${aead.suite.number}, ${chain ? "" : "not "}chained`;
      throw refuse(context, "UNSUPPORTED_FORMAT", detail);
    }
    return placed(context, envelope.keyId, () =>
      // Asked every time, so that a key that was disabled or shredded opens nothing more.
      whenReady(keys.find(context.sessionId, envelope.keyId), (key) =>
        whenReady(derivedFor(key, envelope, context.sessionId), (derived) =>
          open(envelope, derived, context),
        ),
      ),
    );
  }

  function derivedFor(
    key: SecretKey,
    { keyId, salt }: Envelope,
    sessionId: string,
  ): DerivedKey | Promise<DerivedKey> {
    const slot = `${keyId}${toHex(salt)}${sessionId}`;
    const known = reading.get(slot);
    if (known !== undefined) return known;
    return whenReady(deriveKey(binding, key, salt.slice(), utf8(sessionId)), (ready) => {
      reading.set(slot, ready);
      return ready;
    });
  }

  function open(
    envelope: Envelope,
    { key, commitment }: DerivedKey,
    context: CodecContext,
  ): Uint8Array | Promise<Uint8Array> {
    const { keyId, nonce, header, sealed, padded } = envelope;
    if (!equalInConstantTime(commitment, envelope.commitment)) {
      const detail = "the record was sealed under another key, session, pipeline or namespace";
      throw refuse(context, "WRONG_KEY", detail, keyId);
    }
    const aad = aadOf(header, utf8(context.sessionId), context);
    return whenReady(aead.open(key, nonce, aad, sealed), (plaintext) => {
      if (plaintext === null) {
        const detail = "the record was changed, or does not belong at this place";
        throw refuse(context, "AUTH_FAILED", detail, keyId);
      }
      const bytes = padded ? unpad(plaintext) : plaintext;
      if (bytes !== null) return bytes;
      throw refuse(context, "DECODE_FAILED", "the padding is not canonical", keyId);
    });
  }

  function aadOf(header: Uint8Array, sessionId: Uint8Array, context: CodecContext): Uint8Array {
    const { seq, ts, previous } = context;
    const tag = chain && previous !== null ? tagOf(previous) : nothing;
    return recordAad(header, sessionId, seq, ts, tag);
  }

  /**
   * Runs `work` and gives an error of a key source its place, letting nothing else of it out.
   *
   * @param keyId - undefined when sealing, where a mistake in the keys is thrown as it is: decode
   * throws nothing but a CodecError
   */
  function placed(
    context: CodecContext,
    keyId: string | undefined,
    work: () => Uint8Array | Promise<Uint8Array>,
  ): Uint8Array | Promise<Uint8Array> {
    const fail = (error: unknown): never => {
      if (error instanceof CodecError) throw error;
      if (keyId === undefined && isKeyMisuse(error)) throw error;
      const { code, detail } = keyFailureOf(error);
      throw refuse(context, code, detail, keyId);
    };
    // Outside, since a broken cipher is no fault of a key source.
    return whenReady(selfTest(aead), () => guarded(work, fail));
  }

  function refuse(
    { sessionId, seq }: CodecContext,
    code: CodecErrorCode,
    detail: string,
    keyId?: string,
  ): CodecError {
    return new CodecError(code, { stage, sessionId, seq, keyId }, detail);
  }

  return Object.freeze({
    id: stage,
    kind: "aead",
    encode,
    decode,
    isCurrent(bytes: Uint8Array, sessionId: string) {
      const envelope = parseEnvelope(bytes, aead.suite);
      if (typeof envelope === "string") return false;
      // Any seq but the first, which would begin a new life of the session.
      const work = (): boolean | Promise<boolean> =>
        whenReady(keys.current(sessionId, 2), ({ id }) => id === envelope.keyId);
      return guarded(work, (error) => {
        if (isKeyMisuse(error)) throw error;
        const { code, detail } = keyFailureOf(error);
        throw new CheckpointError(code, `No key for session ${quote(sessionId)}: ${detail}`);
      });
    },
    place: (at: CodecPlace) => createSealingCodec(aead, options, at),
  } satisfies Codec);
}

/** Runs `work` and hands on what it throws, now or later. */
function guarded<T>(work: () => T | Promise<T>, fail: (error: unknown) => never): T | Promise<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}

function requireOptions(keys: unknown, padding: unknown, chain: unknown, namespace: unknown): void {
  const { current, find } = Object(keys) as Partial<KeySource>;
  if (typeof current !== "function" || typeof find !== "function") {
    throw new TypeError("keys: wanted keyRing(), sessionKeys() or password(), met something else");
  }
  if (padding !== "padme" && padding !== "none") {
    throw new TypeError('pad: wanted "padme" or "none", met something else');
  }
  if (typeof chain !== "boolean") throw new TypeError("chain: wanted a boolean");
  if (typeof namespace !== "string" || !namespace.isWellFormed()) {
    throw new TypeError("namespace: wanted a well-formed string");
  }
}
