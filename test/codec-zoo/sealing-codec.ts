import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { CodecError, type Codec, type CodecContext, type CodecErrorCode } from "../../src/index.ts";

/** The steps of a small codec that seals with AES-256-GCM; a broken one has one of them wrong. */
export interface Steps {
  readonly key: Uint8Array;
  nonce(context: CodecContext, bytes: Uint8Array): Uint8Array;
  /** What the tag vouches for beside the plaintext. */
  aad(context: CodecContext): Uint8Array;
  /** Ciphertext and tag. */
  seal(nonce: Uint8Array, aad: Uint8Array, bytes: Uint8Array): Uint8Array;
  /** null for a tag that is not right. */
  open(nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array | null;
}

const magic = 0xc0;
const keyIdEnd = 9;
const nonceEnd = 21;
const tagBytes = 16;

/** The steps done right. */
export function soundSteps(key: Uint8Array): Steps {
  return {
    key,
    nonce: () => randomBytes(nonceEnd - keyIdEnd),
    aad: ({ sessionId, seq, ts, previous }) => partsOf(sessionId, String(seq), ts, tagOf(previous)),
    seal(nonce, aad, bytes) {
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aad);
      return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    open(nonce, aad, sealed) {
      const options = { authTagLength: tagBytes };
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, options).setAAD(aad);
      decipher.setAuthTag(sealed.subarray(-tagBytes));
      const plain = decipher.update(sealed.subarray(0, -tagBytes));
      try {
        return Buffer.concat([plain, decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}

/** A codec of some steps: magic, key id, nonce, ciphertext, tag. */
export function sealingCodec(steps: Steps): Codec {
  const keyId = createHash("sha256")
    .update(steps.key)
    .digest()
    .subarray(0, keyIdEnd - 1);
  const isOurs = (bytes: Uint8Array): boolean =>
    bytes.length >= nonceEnd + tagBytes && bytes[0] === magic;
  return {
    id: "zoo",
    kind: "aead",
    encode(bytes, context) {
      const nonce = steps.nonce(context, bytes);
      const sealed = steps.seal(nonce, steps.aad(context), bytes);
      return Buffer.concat([Buffer.of(magic), keyId, nonce, sealed]);
    },
    decode(bytes, context) {
      if (!isOurs(bytes)) throw refusal("UNSUPPORTED_FORMAT", context);
      if (!keyId.equals(bytes.subarray(1, keyIdEnd))) throw refusal("KEY_UNKNOWN", context);
      const nonce = bytes.subarray(keyIdEnd, nonceEnd);
      const plain = steps.open(nonce, steps.aad(context), bytes.subarray(nonceEnd));
      if (plain === null) throw refusal("AUTH_FAILED", context);
      return plain;
    },
    isCurrent: (bytes) => isOurs(bytes) && keyId.equals(bytes.subarray(1, keyIdEnd)),
  };
}

/** Parts with their lengths in front, so that no two places have the same bytes. */
export function partsOf(...parts: ReadonlyArray<string | Uint8Array>): Uint8Array {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      return [Buffer.from(`${bytes.length}:`), bytes];
    }),
  );
}

/** What chains a record to the one before. */
export function tagOf(previous: Uint8Array | null): Uint8Array {
  return previous?.subarray(-tagBytes) ?? new Uint8Array(0);
}

/** Decrypts without a look at the tag: GCM is counter mode from 2 on. */
export function decryptUnchecked(key: Uint8Array, record: Uint8Array): Uint8Array {
  const counter = Buffer.concat([record.subarray(keyIdEnd, nonceEnd), Buffer.of(0, 0, 0, 2)]);
  return createDecipheriv("aes-256-ctr", key, counter).update(record.subarray(nonceEnd, -tagBytes));
}

/** What a codec of the zoo throws when it does as it should. */
export function refusal(
  code: CodecErrorCode,
  { sessionId, seq }: CodecContext,
  detail = "refused",
): CodecError {
  return new CodecError(code, { stage: "zoo", sessionId, seq }, detail);
}
