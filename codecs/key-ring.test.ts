import { describe, expect, test } from "vitest";
import { failureOf, placeOf, pseudoRandom } from "../test/codecs/fixtures.ts";
import { aesGcm, keyRing, secretKey, type KeyInput, type KeyRingOptions } from "./index.ts";

const [first, second, third] = [1, 2, 3].map((seed) => pseudoRandom(seed, 32)) as [
  Uint8Array<ArrayBuffer>,
  Uint8Array<ArrayBuffer>,
  Uint8Array<ArrayBuffer>,
];

async function idOf(input: KeyInput): Promise<string> {
  return (await secretKey(input)).id;
}

/** A Web Crypto key of the same bytes. */
function cryptoKey(bytes: Uint8Array<ArrayBuffer>): Promise<KeyInput> {
  return crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]);
}

describe.each(["bytes", "Web Crypto keys"])("a ring of %s", (kind) => {
  const make = async (): Promise<ReturnType<typeof keyRing>> => {
    const given = async (bytes: Uint8Array<ArrayBuffer>): Promise<KeyInput> =>
      kind === "bytes" ? bytes : cryptoKey(bytes);
    return keyRing({
      primary: await given(first),
      decryptOnly: [await given(second)],
      disabled: [await given(third)],
    });
  };

  test("seals with its primary key and finds the others by id", async () => {
    const ring = await make();
    expect((await ring.current("s", 1)).id).toBe(await idOf(first));
    for (const key of [first, second]) {
      expect((await ring.find("s", await idOf(key))).id).toBe(await idOf(key));
    }
  });

  test("refuses an unknown key and a disabled one with codes of their own", async () => {
    const ring = await make();
    const disabled = await idOf(third);
    expect(await failureOf(() => ring.find("s", "0011223344556677"))).toMatchObject({
      code: "KEY_UNKNOWN",
      message: "Key 0011223344556677 is not in the ring",
    });
    expect(await failureOf(() => ring.find("s", disabled))).toMatchObject({
      code: "KEY_DISABLED",
      message: `Key ${disabled} is disabled`,
    });
  });
});

test("a ring of bytes answers at once", () => {
  const ring = keyRing({ primary: first });
  expect(ring.current("s", 1)).not.toBeInstanceOf(Promise);
});

describe("keyRing() refuses the same key twice", () => {
  test.each<[string, KeyRingOptions]>([
    ["primary and decryptOnly", { primary: first, decryptOnly: [first] }],
    ["primary and disabled", { primary: first, disabled: [second, first] }],
    ["decryptOnly and disabled", { primary: first, decryptOnly: [second], disabled: [second] }],
    [
      "in another spelling",
      { primary: first, decryptOnly: [Buffer.from(first).toString("base64url")] },
    ],
  ])("%s", (_name, options) => {
    expect(() => keyRing(options)).toThrow(new TypeError("keyRing: the same key stands twice"));
  });

  test("at once when it is one object of Web Crypto", async () => {
    const key = await cryptoKey(first);
    const message = "keyRing: the same key stands twice";
    expect(() => keyRing({ primary: key, decryptOnly: [key] })).toThrow(new TypeError(message));
  });

  test("at the first use when only Web Crypto can tell, also through a codec", async () => {
    const keys = keyRing({ primary: first, decryptOnly: [await cryptoKey(first)] });
    const message = "keyRing: the same key stands twice";
    const sealed = await aesGcm({ keys: keyRing({ primary: first }) }).encode(first, placeOf());
    const codec = aesGcm({ keys });
    for (const use of [
      () => keys.current("s", 1),
      () => keys.find("s", "00"),
      () => codec.encode(first, placeOf()),
    ]) {
      expect(await failureOf(use)).toEqual(new TypeError(message));
    }
    const unread = await failureOf(() => codec.decode(sealed, placeOf()));
    expect(unread).toMatchObject({ code: "KEY_UNAVAILABLE", stage: "aes-gcm" });
    expect((unread as Error).message).toContain(message);
  });
});

test("keyRing() refuses a bad key at construction", () => {
  expect(() => keyRing({ primary: "short" })).toThrow(TypeError);
  expect(() => keyRing({ primary: first, disabled: [new Uint8Array(31)] })).toThrow(TypeError);
  expect(() => keyRing({} as KeyRingOptions)).toThrow(TypeError);
});

test("a Web Crypto key for something else is refused by the first append, with the reason", async () => {
  const key = await crypto.subtle.importKey("raw", first, "AES-GCM", false, ["encrypt"]);
  const codec = aesGcm({ keys: keyRing({ primary: key }) });
  const error = await failureOf(() => codec.encode(first, placeOf()));
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toContain("HKDF with deriveBits");
});
