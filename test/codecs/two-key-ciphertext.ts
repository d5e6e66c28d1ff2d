import { createCipheriv } from "node:crypto";

/**
 * One ciphertext and tag that AES-256-GCM opens under two keys, each with associated data of its own.
 *
 * GHASH is a polynomial over GF(2^128) at a point that the key gives, so asking that both keys give
 * one tag is a linear equation in one block of the ciphertext (NIST SP 800-38D, section 6.4; Dodis
 * et al., "Fast Message Franking", 2018, section 3.2).
 */
export function twoKeyCiphertext(
  nonce: Uint8Array,
  left: { readonly key: Uint8Array; readonly aad: Uint8Array },
  right: { readonly key: Uint8Array; readonly aad: Uint8Array },
): Uint8Array<ArrayBuffer> {
  const sides = [left, right].map(({ key, aad }) => {
    const point = encryptBlock(key, new Uint8Array(16));
    const mask = encryptBlock(key, Uint8Array.of(...nonce, 0, 0, 0, 1));
    const lengths = (BigInt(aad.length * 8) << 64n) | 128n;
    // The tag without the block: its place is the last but one, so it is multiplied by point^2.
    const rest = [...blocksOf(aad), 0n, lengths].reduce((sum, x) => multiply(sum ^ x, point), 0n);
    return { square: multiply(point, point), tag: rest ^ mask };
  }) as [Side, Side];
  const [one, two] = sides;
  const block = multiply(one.tag ^ two.tag, invert(one.square ^ two.square));
  const tag = one.tag ^ multiply(block, one.square);
  return Uint8Array.of(...bytesOf(block), ...bytesOf(tag));
}

interface Side {
  readonly square: bigint;
  readonly tag: bigint;
}

function encryptBlock(key: Uint8Array, block: Uint8Array): bigint {
  const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  return numberOf(cipher.update(block));
}

function blocksOf(bytes: Uint8Array): bigint[] {
  return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, index) => {
    const block = Buffer.alloc(16);
    block.set(bytes.subarray(index * 16, index * 16 + 16));
    return numberOf(block);
  });
}

function numberOf(block: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(block).toString("hex")}`);
}

function bytesOf(block: bigint): Buffer {
  return Buffer.from(block.toString(16).padStart(32, "0"), "hex");
}

/** Product in GCM's field, whose bits count from the left. */
function multiply(x: bigint, y: bigint): bigint {
  let product = 0n;
  let shifted = y;
  for (let bit = 127n; bit >= 0n; bit -= 1n) {
    if ((x >> bit) & 1n) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ (0xe1n << 120n) : shifted >> 1n;
  }
  return product;
}

/** Inverse by Fermat: x^(2^128 - 2). */
function invert(x: bigint): bigint {
  let power = x;
  let product = 1n << 127n;
  for (let bit = 1; bit < 128; bit += 1) {
    power = multiply(power, power);
    product = multiply(product, power);
  }
  return product;
}
