import type nodeCrypto from "node:crypto";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { builtinModule } from "./aead.ts";
import { toHex, utf8 } from "./bytes.ts";
import { keyMisuse } from "./key-failure.ts";

/**
 * A 256-bit key that never leaves its closure: it can only derive other keys. Printing it, by any
 * means, shows its id.
 */
export interface SecretKey {
  /** 16 hexadecimal digits derived from the key, so that the same key has the same id everywhere. */
  readonly id: string;
  /** HKDF-SHA-256 (RFC 5869) of this key. */
  derive(salt: Uint8Array, info: Uint8Array, length: number): Uint8Array | Promise<Uint8Array>;
}

/**
 * What a key can be given as: 32 raw bytes (copied), their base64 or base64url spelling, a Node.js
 * secret `KeyObject` of 32 bytes, a Web Crypto key for `HKDF` with `deriveBits`, or a
 * {@link SecretKey}.
 */
export type KeyInput = Uint8Array | string | WebCryptoKey | NodeKeyObject | SecretKey;

/** The part of a Node.js `KeyObject` that matters here. */
export interface NodeKeyObject {
  readonly type: string;
  readonly symmetricKeySize?: number | undefined;
}

/** The part of a Web Crypto `CryptoKey` that matters here. */
export interface WebCryptoKey {
  readonly type: string;
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

/** Bytes in a key. */
export const keyBytes = 32;

const idInfo = utf8("checkpointer-kit key id");
const idBytes = 8;

type NodeCrypto = Pick<typeof nodeCrypto, "hkdfSync">;

/**
 * Wraps key material.
 *
 * @returns a promise only for a Web Crypto key
 * @throws TypeError for anything that is not a 256-bit key; the message says nothing about it
 */
export function secretKey(input: KeyInput): SecretKey | Promise<SecretKey> {
  if (isSecretKey(input)) return input;
  if (typeof input === "string") return fromBytes(parseBase64(input));
  if (input instanceof Uint8Array) {
    if (input.length !== keyBytes) throw badKey(`${input.length} bytes`);
    // A Buffer's slice() would share its memory.
    return fromBytes(Uint8Array.from(input));
  }
  const { type, symmetricKeySize, algorithm, usages } = Object(input) as Partial<
    NodeKeyObject & WebCryptoKey
  >;
  if (algorithm !== undefined && usages !== undefined) return fromCryptoKey(input as WebCryptoKey);
  if (type === "secret" && symmetricKeySize === keyBytes) return fromKeyObject(input);
  throw badKey("something else");
}

/** 32 fresh random bytes in base64, to be kept where secrets are kept. */
export function generateKey(): string {
  return toBase64(crypto.getRandomValues(new Uint8Array(keyBytes)));
}

const secretKeys = new WeakSet<object>();

function isSecretKey(input: unknown): input is SecretKey {
  return typeof input === "object" && input !== null && secretKeys.has(input);
}

function fromBytes(bytes: Uint8Array): SecretKey {
  const node = builtinModule("node:crypto") as NodeCrypto | undefined;
  return finish(
    typeof node?.hkdfSync === "function"
      ? (salt, info, length) => new Uint8Array(node.hkdfSync("sha256", bytes, salt, info, length))
      : (salt, info, length) => hkdf(sha256, bytes, salt, info, length),
  );
}

function fromKeyObject(key: unknown): SecretKey {
  const node = builtinModule("node:crypto") as NodeCrypto | undefined;
  if (typeof node?.hkdfSync !== "function") throw badKey("a KeyObject, which needs node:crypto");
  return finish(
    (salt, info, length) =>
      new Uint8Array(node.hkdfSync("sha256", key as never, salt, info, length)),
  );
}

async function fromCryptoKey(key: WebCryptoKey): Promise<SecretKey> {
  if (key.algorithm.name !== "HKDF" || !key.usages.includes("deriveBits")) {
    throw badKey("a CryptoKey for something else than HKDF with deriveBits");
  }
  const derive = async (
    salt: Uint8Array,
    info: Uint8Array,
    length: number,
  ): Promise<Uint8Array> => {
    const algorithm = { name: "HKDF", hash: "SHA-256", salt, info };
    return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key as never, length * 8));
  };
  const id = await derive(new Uint8Array(0), idInfo, idBytes);
  return seal(toHex(id), derive);
}

function finish(
  derive: (salt: Uint8Array, info: Uint8Array, length: number) => Uint8Array,
): SecretKey {
  return seal(toHex(derive(new Uint8Array(0), idInfo, idBytes)), derive);
}

function seal(id: string, derive: SecretKey["derive"]): SecretKey {
  const key = {};
  const shown = `SecretKey ${id}`;
  Object.defineProperties(key, {
    id: { value: id, enumerable: true },
    derive: { value: derive },
    toJSON: { value: () => shown },
    toString: { value: () => shown },
    [Symbol.for("nodejs.util.inspect.custom")]: { value: () => shown },
  });
  secretKeys.add(key);
  return Object.freeze(key) as SecretKey;
}

function parseBase64(text: string): Uint8Array {
  const standard = text.trim().replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
  if (!/^[A-Za-z0-9+/]{43}$/.test(standard)) throw badKey("a string that is not one");
  const bytes = Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
  // 43 characters hold two bits more than 32 bytes; only one of the four spellings is canonical.
  if (toBase64(bytes).replace(/=+$/, "") !== standard) throw badKey("a string that is not one");
  return bytes;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function badKey(met: string): TypeError {
  return keyMisuse(`key: wanted ${keyBytes} bytes, raw or in base64, met ${met}`);
}
