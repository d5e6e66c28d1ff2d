import type { Aead, AeadKey } from "./aead.ts";
import { lengthPrefixed, utf8 } from "./bytes.ts";
import { commitmentBytes, createHeader, saltBytes } from "./envelope.ts";
import type { RandomSource } from "./random.ts";
import { keyBytes, type SecretKey } from "./secret-key.ts";
import { whenReady } from "./when-ready.ts";

/** What everything that is derived from a key is bound to. */
export interface EpochBinding {
  readonly aead: Aead;
  readonly pipeline: string;
  readonly namespace: string;
}

/** A record key and what proves which key it is. */
export interface DerivedKey {
  readonly key: AeadKey;
  readonly commitment: Uint8Array;
}

/** One salt's worth of records of one session, sealed by one codec. */
export interface WritingEpoch extends DerivedKey {
  readonly keyId: string;
  readonly sessionId: Uint8Array;
  /** The header of its records, without nonce. */
  readonly header: Uint8Array;
  /** Records sealed so far. */
  records: number;
}

/**
 * Records under one salt. With random 96-bit nonces the chance of a repeat stays below 2^-57, far
 * under the 2^-32 that NIST SP 800-38D section 8.3 asks for.
 */
export const epochMaxRecords: number = 2 ** 20;

const label = utf8("checkpointer-kit/sealed/v1");

/**
 * HKDF-SHA-256 (RFC 5869) of a key into the key of an epoch's records and a commitment. Neither AES-GCM
 * nor ChaCha20-Poly1305 commits to its key; the commitment does, and is checked before the cipher.
 */
export function deriveKey(
  binding: EpochBinding,
  key: SecretKey,
  salt: Uint8Array,
  sessionId: Uint8Array,
): DerivedKey | Promise<DerivedKey> {
  const { aead, pipeline, namespace } = binding;
  const suite = Uint8Array.of(aead.suite.number);
  const info = lengthPrefixed(label, suite, utf8(pipeline), utf8(namespace), sessionId);
  return whenReady(key.derive(salt, info, keyBytes + commitmentBytes), (derived) => {
    // A Buffer's slice() would share the memory that is cleared below.
    const bytes = Uint8Array.from(derived);
    const commitment = bytes.slice(keyBytes);
    const raw = bytes.slice(0, keyBytes);
    return whenReady(aead.importKey(raw), (imported) => {
      bytes.fill(0);
      raw.fill(0);
      return { key: imported, commitment };
    });
  });
}

/** Begins an epoch: a fresh salt, and from now on fresh randomness. */
export function beginEpoch(
  binding: EpochBinding,
  flags: { readonly chained: boolean; readonly padded: boolean },
  key: SecretKey,
  sessionId: string,
  random: RandomSource,
): WritingEpoch | Promise<WritingEpoch> {
  random.refresh();
  const salt = random.bytes(saltBytes);
  const id = utf8(sessionId);
  return whenReady(deriveKey(binding, key, salt, id), ({ key: recordKey, commitment }) => ({
    key: recordKey,
    commitment,
    keyId: key.id,
    sessionId: id,
    header: createHeader(binding.aead.suite, flags, key.id, salt, commitment),
    records: 0,
  }));
}
