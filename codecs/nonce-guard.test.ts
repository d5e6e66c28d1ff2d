import { expect, test } from "vitest";
import { createNonceGuard } from "./nonce-guard.ts";

/** A nonce with a number in it. */
function nonceOf(number: number): Uint8Array {
  const nonce = new Uint8Array(24);
  new DataView(nonce.buffer).setUint32(20, number);
  return nonce;
}

test("a nonce guard notices a source that repeats itself within 4,096 nonces", () => {
  for (const period of [1, 2, 1_000, 4_096]) {
    const isNew = createNonceGuard();
    for (let number = 0; number < period; number += 1) expect(isNew(nonceOf(number))).toBe(true);
    expect(isNew(nonceOf(0))).toBe(false);
  }
});

test("a nonce guard takes a nonce for itself and not for the array it came in", () => {
  const isNew = createNonceGuard();
  const nonce = nonceOf(1);
  expect(isNew(nonce)).toBe(true);
  nonce[0] = 1;
  expect(isNew(nonce)).toBe(true);
  expect(isNew(nonceOf(1))).toBe(false);
});

test("a nonce guard forgets what is older, so that its memory is bounded", () => {
  const isNew = createNonceGuard();
  for (let number = 0; number <= 4_096; number += 1) isNew(nonceOf(number));
  expect(isNew(nonceOf(0))).toBe(true);
  expect(isNew(nonceOf(4_096))).toBe(false);
});
