import type nodeCrypto from "node:crypto";
import { gcm } from "@noble/ciphers/aes.js";
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { allocate, concat } from "./bytes.ts";

/** An authenticated cipher with 256-bit keys and 128-bit tags, by one implementation. */
export interface Aead {
  readonly suite: AeadSuite;
  readonly backend: "node" | "webcrypto" | "noble";
  /** @param bytes - 32 bytes; not kept where the platform can hold keys itself */
  importKey(bytes: Uint8Array): AeadKey | Promise<AeadKey>;
  /**
   * @param head - stands before the ciphertext as it is, which saves a copy of the ciphertext
   * @returns one new array: head, ciphertext, and the 16-byte tag
   */
  seal(
    key: AeadKey,
    nonce: Uint8Array,
    aad: Uint8Array,
    plaintext: Uint8Array,
    head?: Uint8Array,
  ): Uint8Array | Promise<Uint8Array>;
  /** @returns the plaintext, only after the tag was checked; null when it does not match */
  open(
    key: AeadKey,
    nonce: Uint8Array,
    aad: Uint8Array,
    sealed: Uint8Array,
  ): Uint8Array | null | Promise<Uint8Array | null>;
}

/** The ciphers of the envelope. */
export interface AeadSuite {
  /** Its number in the envelope. */
  readonly number: 1 | 2;
  readonly name: "aes-gcm" | "xchacha";
  readonly nonceBytes: 12 | 24;
}

/** A key as its implementation holds it. */
export type AeadKey = object;

/** AES-256-GCM (NIST SP 800-38D) with 96-bit nonces. */
export const aesGcmSuite: AeadSuite = { number: 1, name: "aes-gcm", nonceBytes: 12 };

/** XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03). */
export const xchachaSuite: AeadSuite = { number: 2, name: "xchacha", nonceBytes: 24 };

const tagBytes = 16;
const nothing = new Uint8Array(0);

type NodeCrypto = Pick<
  typeof nodeCrypto,
  "createCipheriv" | "createDecipheriv" | "createSecretKey"
>;

/** AES-GCM by `node:crypto`; null where there is none. */
export function nodeAesGcm(): Aead | null {
  const crypto = builtinModule("node:crypto") as NodeCrypto | undefined;
  if (typeof crypto?.createCipheriv !== "function") return null;
  // Without it Node.js accepts shortened tags on reading (nodejs/node#52345).
  const options = { authTagLength: tagBytes };
  return {
    suite: aesGcmSuite,
    backend: "node",
    importKey: (bytes) => crypto.createSecretKey(bytes),
    seal(key, nonce, aad, plaintext, head = nothing) {
      const cipher = crypto.createCipheriv("aes-256-gcm", key as never, nonce, options);
      cipher.setAAD(aad);
      const end = head.length + plaintext.length;
      const sealed = allocate(end + tagBytes);
      sealed.set(head);
      sealed.set(cipher.update(plaintext), head.length);
      cipher.final();
      sealed.set(cipher.getAuthTag(), end);
      return sealed;
    },
    open(key, nonce, aad, sealed) {
      const end = sealed.length - tagBytes;
      const decipher = crypto.createDecipheriv("aes-256-gcm", key as never, nonce, options);
      decipher.setAAD(aad);
      decipher.setAuthTag(sealed.subarray(end));
      const plaintext = decipher.update(sealed.subarray(0, end));
      try {
        decipher.final();
      } catch {
        plaintext.fill(0);
        return null;
      }
      return plaintext;
    },
  };
}

/** AES-GCM by Web Crypto; asynchronous. */
export function webAesGcm(): Aead {
  const { subtle } = crypto;
  const parameters = (nonce: Uint8Array, aad: Uint8Array) => ({
    name: "AES-GCM",
    iv: nonce,
    additionalData: aad,
    tagLength: tagBytes * 8,
  });
  return {
    suite: aesGcmSuite,
    backend: "webcrypto",
    importKey: (bytes) => subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]),
    async seal(key, nonce, aad, plaintext, head = nothing) {
      const sealed = await subtle.encrypt(parameters(nonce, aad), key as never, plaintext);
      return concat(head, new Uint8Array(sealed));
    },
    async open(key, nonce, aad, sealed) {
      try {
        return new Uint8Array(await subtle.decrypt(parameters(nonce, aad), key as never, sealed));
      } catch {
        return null;
      }
    },
  };
}

/** AES-GCM by @noble/ciphers: works everywhere, slowly; its tables leak timing to co-tenants. */
export const nobleAesGcm: Aead = nobleAead(aesGcmSuite, gcm);

/** XChaCha20-Poly1305 by @noble/ciphers: synchronous everywhere. */
export const nobleXchacha: Aead = nobleAead(xchachaSuite, xchacha20poly1305);

function nobleAead(
  suite: AeadSuite,
  cipher: (
    key: Uint8Array,
    nonce: Uint8Array,
    aad?: Uint8Array,
  ) => { encrypt(bytes: Uint8Array): Uint8Array; decrypt(bytes: Uint8Array): Uint8Array },
): Aead {
  // A Buffer is a Uint8Array whose slice() shares memory, which noble does not expect.
  const plain = (bytes: Uint8Array): Uint8Array =>
    new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    suite,
    backend: "noble",
    importKey: (bytes) => Uint8Array.from(bytes),
    seal: (key, nonce, aad, plaintext, head = nothing) =>
      concat(head, cipher(key as Uint8Array, plain(nonce), plain(aad)).encrypt(plain(plaintext))),
    open(key, nonce, aad, sealed) {
      try {
        return cipher(key as Uint8Array, plain(nonce), plain(aad)).decrypt(plain(sealed));
      } catch {
        return null;
      }
    },
  };
}

/** A module of the platform, without an import that bundlers for browsers would stumble over. */
export function builtinModule(name: string): unknown {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown };
  };
  return process?.getBuiltinModule?.(name);
}
