/**
 * A key sealed under another key, as docs/format.md specifies it under "Sealed key". No other file
 * knows its bytes.
 *
 * @module
 */
import { nobleAesGcm, nodeAesGcm, webAesGcm, type Aead, type AeadKey } from "./aead.ts";
import { concat, equalInConstantTime, lengthPrefixed, utf8 } from "./bytes.ts";
import { createRandomSource } from "./random.ts";
import { keyBytes, type SecretKey } from "./secret-key.ts";
import { selfTest } from "./self-test.ts";

const saltBytes = 12;
const commitmentBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

const offsets = {
  commitment: saltBytes,
  nonce: saltBytes + commitmentBytes,
  ciphertext: saltBytes + commitmentBytes + nonceBytes,
} as const;

/** Bytes of a sealed key. */
export const sealedKeyBytes: number = offsets.ciphertext + keyBytes + tagBytes;

/** What a sealed key is bound to. */
export interface SealedKeyBinding {
  /** Names the use; keys of one use open nothing of another. */
  readonly label: string;
  /** Must be the same at opening, byte for byte. */
  readonly aad: Uint8Array;
}

const random = createRandomSource();
let chosen: Aead | undefined;

/**
 * Seals 32 bytes with AES-256-GCM under a key derived for them alone (HKDF-SHA-256 with a fresh
 * salt), so that a key may seal any number of others. AES key wrap (RFC 3394) would not do: it has
 * no associated data, and a wrapped key could be moved to another session.
 *
 * @returns salt, commitment, nonce, ciphertext, tag
 */
export async function sealKey(
  under: SecretKey,
  { label, aad }: SealedKeyBinding,
  key: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const aead = await usableAead();
  random.refresh();
  const salt = random.bytes(saltBytes);
  const nonce = random.bytes(nonceBytes);
  const derived = await derive(aead, under, label, salt);
  const sealed = await aead.seal(derived.key, nonce, lengthPrefixed(salt, aad), key);
  return concat(salt, derived.commitment, nonce, sealed);
}

/**
 * @returns a fresh array with the key; `"wrong-key"` when it was sealed under another key or label,
 * `"changed"` when it or what it is bound to is not what it was
 */
export async function openKey(
  under: SecretKey,
  { label, aad }: SealedKeyBinding,
  sealed: Uint8Array,
): Promise<Uint8Array | "wrong-key" | "changed"> {
  if (sealed.length !== sealedKeyBytes) return "changed";
  const aead = await usableAead();
  // A copy, since a derivation may take its time and the array is the caller's.
  const bytes = new Uint8Array(sealed);
  const salt = bytes.subarray(0, offsets.commitment);
  const derived = await derive(aead, under, label, salt);
  // Before the cipher: AES-GCM does not commit to its key.
  if (!equalInConstantTime(derived.commitment, bytes.subarray(offsets.commitment, offsets.nonce))) {
    return "wrong-key";
  }
  const nonce = bytes.subarray(offsets.nonce, offsets.ciphertext);
  const ciphertext = bytes.subarray(offsets.ciphertext);
  const opened = await aead.open(derived.key, nonce, lengthPrefixed(salt, aad), ciphertext);
  if (opened === null) return "changed";
  const key = new Uint8Array(opened);
  opened.fill(0);
  return key;
}

async function derive(
  aead: Aead,
  under: SecretKey,
  label: string,
  salt: Uint8Array,
): Promise<{ key: AeadKey; commitment: Uint8Array }> {
  const bytes = await under.derive(salt, lengthPrefixed(utf8(label)), keyBytes + commitmentBytes);
  const raw = bytes.slice(0, keyBytes);
  const key = await aead.importKey(raw);
  raw.fill(0);
  bytes.fill(0, 0, keyBytes);
  return { key, commitment: bytes.subarray(keyBytes) };
}

async function usableAead(): Promise<Aead> {
  chosen ??= nodeAesGcm() ?? (hasWebCrypto() ? webAesGcm() : nobleAesGcm);
  await selfTest(chosen);
  return chosen;
}

function hasWebCrypto(): boolean {
  return typeof globalThis.crypto?.subtle?.encrypt === "function";
}
