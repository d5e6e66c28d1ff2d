import {
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  hkdfSync,
  type webcrypto,
} from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { bytesOf, failureOf, pseudoRandom, toHex } from "../test/codecs/fixtures.ts";
import { generateKey, secretKey, type KeyInput } from "./secret-key.ts";

const raw = pseudoRandom(7, 32);
const base64 = Buffer.from(raw).toString("base64");
const salt = bytesOf("salt");
const info = bytesOf("info");
const expected = Buffer.from(hkdfSync("sha256", raw, salt, info, 64)).toString("hex");

/** A Web Crypto key of the raw bytes. */
function cryptoKey(usages: readonly KeyUsage[] = ["deriveBits"]): Promise<webcrypto.CryptoKey> {
  return crypto.subtle.importKey("raw", raw, "HKDF", false, [...usages]);
}

type KeyUsage = "deriveBits" | "deriveKey";

describe("secretKey() gives the same key for", () => {
  const url = base64.replaceAll("+", "-").replaceAll("/", "_");
  test.each<[string, () => KeyInput | Promise<KeyInput>]>([
    ["raw bytes", () => raw],
    ["a Buffer", () => Buffer.from(raw)],
    ["a view into a larger buffer", () => Buffer.concat([raw, raw]).subarray(32)],
    ["base64", () => base64],
    ["base64 with a line break behind it", () => `${base64}\n`],
    ["base64url", () => url],
    ["base64url without padding", () => url.replace("=", "")],
    ["a KeyObject", () => createSecretKey(raw)],
    ["a Web Crypto key", () => cryptoKey()],
    ["a key of ours", () => secretKey(raw)],
  ])("%s", async (_name, input) => {
    const key = await secretKey(await input());
    expect(key.id).toMatch(/^[0-9a-f]{16}$/);
    expect(key.id).toBe((await secretKey(raw)).id);
    expect(toHex(await key.derive(salt, info, 64))).toBe(expected);
  });

  test("raw bytes where there is no node:crypto", async () => {
    const spy = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
    const key = await secretKey(raw);
    expect(toHex(await key.derive(salt, info, 64))).toBe(expected);
    expect(() => secretKey(createSecretKey(raw))).toThrow(TypeError);
    spy.mockRestore();
    expect(key.id).toBe((await secretKey(raw)).id);
  });
});

test.each(["Uint8Array", "Buffer"])("secretKey() copies the bytes of a %s", async (type) => {
  const given = type === "Buffer" ? Buffer.from(raw) : Uint8Array.from(raw);
  const key = await secretKey(given);
  given.fill(0);
  expect(toHex(await key.derive(salt, info, 64))).toBe(expected);
});

test("a key's id says nothing that deriving would not", async () => {
  const key = await secretKey(raw);
  const id = Buffer.from(hkdfSync("sha256", raw, "", "checkpointer-kit key id", 8));
  expect(key.id).toBe(id.toString("hex"));
});

describe("secretKey() refuses, without showing it,", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  test.each<[string, unknown]>([
    ["31 bytes", raw.subarray(1)],
    ["33 bytes", Uint8Array.of(...raw, 0)],
    ["no bytes", new Uint8Array(0)],
    ["a passphrase", "correct horse battery staple"],
    ["hexadecimal", toHex(raw)],
    ["base64 of 31 bytes", Buffer.from(raw.subarray(1)).toString("base64")],
    ["base64 of 33 bytes", Buffer.concat([raw, salt]).subarray(0, 33).toString("base64")],
    ["base64 with a space in it", `${base64.slice(0, 20)} ${base64.slice(20)}`],
    ["base64 that is not canonical", `${base64.slice(0, 42)}${nextLetter(base64[42]!)}=`],
    ["a KeyObject of 16 bytes", createSecretKey(raw.subarray(16))],
    ["a private KeyObject", createPrivateKey(pem)],
    ["an array", [...raw]],
    ["an ArrayBuffer", raw.buffer],
    ["a key that only looks like one of ours", { id: "0011223344556677", derive: () => raw }],
    ["null", null],
    ["undefined", undefined],
    ["a number", 32],
  ])("%s", (_name, input) => {
    const error = caught(() => secretKey(input as KeyInput));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^key: wanted 32 bytes, raw or in base64, met /);
    for (const secret of [toHex(raw), base64, "correct horse", "31,"]) {
      expect(inspect(error)).not.toContain(secret.slice(0, 12));
    }
  });

  test("Web Crypto keys for something else", async () => {
    const aes = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt"]);
    const other = await cryptoKey(["deriveKey"]);
    for (const key of [aes, other]) {
      expect(await failureOf(() => secretKey(key))).toBeInstanceOf(TypeError);
    }
  });
});

test("a key shows its id and nothing else, however it is printed", async () => {
  for (const input of [raw, createSecretKey(raw), await cryptoKey()]) {
    const key = await secretKey(input);
    const shown = `SecretKey ${key.id}`;
    expect(String(key as unknown)).toBe(shown);
    expect(JSON.stringify({ key })).toBe(JSON.stringify({ key: shown }));
    expect(inspect(key, { depth: null, showHidden: true })).toBe(shown);
    expect(Object.entries(key)).toEqual([["id", key.id]]);
    expect(Object.isFrozen(key)).toBe(true);
  }
});

test("generateKey() makes another key every time", async () => {
  const keys = Array.from({ length: 100 }, () => generateKey());
  expect(new Set(keys).size).toBe(100);
  const ids = await Promise.all(keys.map(async (key) => (await secretKey(key)).id));
  expect(new Set(ids).size).toBe(100);
});

function nextLetter(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}

function caught(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("wanted an error, met a result");
}
