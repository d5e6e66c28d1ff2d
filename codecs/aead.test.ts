import { describe, expect, test, vi } from "vitest";
import { pseudoRandom, setByte, toHex } from "../test/codecs/fixtures.ts";
import {
  builtinModule,
  nobleAesGcm,
  nobleXchacha,
  nodeAesGcm,
  webAesGcm,
  type Aead,
} from "./aead.ts";

const all = [nodeAesGcm()!, webAesGcm(), nobleAesGcm, nobleXchacha];
const key = pseudoRandom(1, 32);
const aad = pseudoRandom(2, 40);
const text = pseudoRandom(3, 50);

/** A nonce for a cipher. */
function nonceFor({ suite }: Aead): Uint8Array {
  return pseudoRandom(4, suite.nonceBytes);
}

/** The same bytes in the middle of a larger buffer, as drivers and files hand them out. */
function within(bytes: Uint8Array): Buffer {
  const large = Buffer.alloc(bytes.length + 7, 0xee);
  large.set(bytes, 3);
  return large.subarray(3, 3 + bytes.length);
}

describe.each(all)("$suite.name by $backend", (aead) => {
  const nonce = nonceFor(aead);

  test("seals into ciphertext and tag, and opens it again", async () => {
    const imported = await aead.importKey(key);
    const sealed = await aead.seal(imported, nonce, aad, text);
    expect(sealed).toHaveLength(text.length + 16);
    expect(toHex(sealed)).not.toContain(toHex(text.subarray(0, 8)));
    expect(toHex((await aead.open(imported, nonce, aad, sealed))!)).toBe(toHex(text));
  });

  test("takes views into larger buffers for what they show", async () => {
    const imported = await aead.importKey(within(key));
    const sealed = await aead.seal(imported, within(nonce), within(aad), within(text));
    const straight = await aead.seal(await aead.importKey(key), nonce, aad, text);
    expect(toHex(sealed)).toBe(toHex(straight));
    const opened = await aead.open(imported, within(nonce), within(aad), within(sealed));
    expect(toHex(opened!)).toBe(toHex(text));
  });

  test("gives null and no plaintext when anything differs", async () => {
    const imported = await aead.importKey(key);
    const sealed = await aead.seal(imported, nonce, aad, text);
    const other = await aead.importKey(setByte(key, 0, key[0]! ^ 1));
    expect(await aead.open(other, nonce, aad, sealed)).toBeNull();
    expect(await aead.open(imported, setByte(nonce, 0, nonce[0]! ^ 1), aad, sealed)).toBeNull();
    expect(await aead.open(imported, nonce, aad.subarray(1), sealed)).toBeNull();
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = setByte(sealed, index, sealed[index]! ^ 0x80);
      expect(await aead.open(imported, nonce, aad, changed)).toBeNull();
    }
  });

  test("accepts no shortened tag", async () => {
    const imported = await aead.importKey(key);
    const sealed = await aead.seal(imported, nonce, aad, text);
    for (let cut = 1; cut < 16; cut += 1) {
      expect(await aead.open(imported, nonce, aad, sealed.subarray(0, -cut))).toBeNull();
    }
  });

  test.each(["Uint8Array", "Buffer"])("keeps a key that was given as a %s", async (type) => {
    const given = type === "Buffer" ? Buffer.from(key) : Uint8Array.from(key);
    const imported = await aead.importKey(given);
    given.fill(0);
    const sealed = await aead.seal(imported, nonce, aad, text);
    expect(toHex(sealed)).toBe(toHex(await aead.seal(await aead.importKey(key), nonce, aad, text)));
  });

  test("leaves what it was given as it was", async () => {
    const given = [key, nonce, aad, text].map((bytes) => Uint8Array.from(bytes));
    const [ownKey, ownNonce, ownAad, ownText] = given as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const imported = await aead.importKey(ownKey);
    const sealed = await aead.seal(imported, ownNonce, ownAad, ownText);
    const before = toHex(sealed);
    await aead.open(imported, ownNonce, ownAad, sealed);
    await aead.open(imported, ownNonce, ownText, sealed);
    expect(given.map(toHex)).toEqual([key, nonce, aad, text].map(toHex));
    expect(toHex(sealed)).toBe(before);
  });
});

test("builtinModule() and nodeAesGcm() do without a platform that has none", () => {
  expect(builtinModule("node:crypto")).toBeDefined();
  const spy = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  expect(nodeAesGcm()).toBeNull();
  spy.mockRestore();
  vi.stubGlobal("process", undefined);
  expect(builtinModule("node:crypto")).toBeUndefined();
  vi.unstubAllGlobals();
});
