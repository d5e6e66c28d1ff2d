import { createDecipheriv, hkdfSync } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { flipBit, fromHex, toHex } from "../test/codecs/fixtures.ts";
import { openKey, sealedKeyBytes, sealKey, type SealedKeyBinding } from "./sealed-key.ts";
import { secretKey, type SecretKey } from "./secret-key.ts";

const under = secretKey(new Uint8Array(32).fill(1)) as SecretKey;
const other = secretKey(new Uint8Array(32).fill(2)) as SecretKey;
const key = Uint8Array.from({ length: 32 }, (_, index) => index);
const binding: SealedKeyBinding = { label: "test", aad: Uint8Array.of(1, 2, 3) };

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("openKey() gives back what sealKey() was given", async () => {
  const sealed = await sealKey(under, binding, key);
  expect(sealed).toHaveLength(sealedKeyBytes);
  expect(sealedKeyBytes).toBe(104);
  expect(await openKey(under, binding, sealed)).toEqual(new Uint8Array(key));
});

test("sealKey() never makes the same bytes twice", async () => {
  const sealed = await Promise.all(Array.from({ length: 20 }, () => sealKey(under, binding, key)));
  expect(new Set(sealed.map(toHex)).size).toBe(20);
});

test("openKey() tells another key or label from a change", async () => {
  const sealed = await sealKey(under, binding, key);
  expect(await openKey(other, binding, sealed)).toBe("wrong-key");
  expect(await openKey(under, { ...binding, label: "other" }, sealed)).toBe("wrong-key");
  expect(await openKey(under, { ...binding, aad: Uint8Array.of(1, 2) }, sealed)).toBe("changed");
  expect(await openKey(under, binding, sealed.subarray(1))).toBe("changed");
  expect(await openKey(under, binding, new Uint8Array(0))).toBe("changed");
});

test("openKey() notices every flipped bit", async () => {
  const sealed = await sealKey(under, binding, key);
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const opened = await openKey(under, binding, flipBit(sealed, bit));
    // Salt and commitment are what says which key it is.
    expect(opened).toBe(bit < 44 * 8 ? "wrong-key" : "changed");
  }
});

test("sealed bytes are salt, commitment, nonce, ciphertext, tag, as the format says", async () => {
  const sealed = Buffer.from(await sealKey(under, binding, key));
  const salt = sealed.subarray(0, 12);
  // Parts have their length in front, in four bytes.
  const info = Buffer.concat([Buffer.of(0, 0, 0, 4), Buffer.from("test")]);
  const derived = Buffer.from(hkdfSync("sha256", new Uint8Array(32).fill(1), salt, info, 64));
  expect(sealed.subarray(12, 44)).toEqual(derived.subarray(32));
  const cipher = createDecipheriv("aes-256-gcm", derived.subarray(0, 32), sealed.subarray(44, 56));
  const lengths = [Buffer.of(0, 0, 0, 12), Buffer.of(0, 0, 0, 3)] as const;
  cipher.setAAD(Buffer.concat([lengths[0], salt, lengths[1], binding.aad]));
  cipher.setAuthTag(sealed.subarray(-16));
  const opened = Buffer.concat([cipher.update(sealed.subarray(56, -16)), cipher.final()]);
  expect(toHex(opened)).toBe(toHex(key));
});

test("openKey() opens what was sealed before this version", async () => {
  const golden = fromHex(
    "15fa2dc1449bae135e086fa0dac2ab4fb157489412f4de874e84e230d6f20030" +
      "5941c147e86db877215be38c5f0f634f44173eb53bebf43a5933e8319c743a4b" +
      "699d56bb99ddfbe97e4ae360ce7ccbabf3443c803fe564e164dea7c3f46ed58b" +
      "2b9412a090ba8ddf",
  );
  expect(await openKey(under, binding, golden)).toEqual(new Uint8Array(key));
});

async function withPlatform(platform: "node" | "webcrypto" | "noble") {
  vi.resetModules();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  if (platform !== "node") {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  }
  if (platform === "noble") {
    vi.stubGlobal("crypto", { getRandomValues: crypto.getRandomValues.bind(crypto) });
  }
  const sealing = await import("./sealed-key.ts");
  const keys = await import("./secret-key.ts");
  const own = keys.secretKey(new Uint8Array(32).fill(1)) as SecretKey;
  const sealed = await sealing.sealKey(own, binding, key);
  return { sealed, open: (bytes: Uint8Array) => sealing.openKey(own, binding, bytes) };
}

test("what one platform seals every other one opens", async () => {
  const platforms = ["node", "webcrypto", "noble"] as const;
  const sealed = [];
  for (const platform of platforms) sealed.push((await withPlatform(platform)).sealed);
  for (const platform of platforms) {
    const { open } = await withPlatform(platform);
    for (const bytes of sealed) expect(await open(bytes)).toEqual(new Uint8Array(key));
    expect(await open(flipBit(sealed[0]!, 103 * 8))).toBe("changed");
  }
});
