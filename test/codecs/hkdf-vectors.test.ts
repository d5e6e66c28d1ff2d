/**
 * Goal: keys are derived by HKDF-SHA-256 and nothing else, on every platform. Method: the published
 * vectors, through `secretKey()` where their key has its 256 bits, else by the same call below it.
 */
import { createSecretKey, hkdfSync, type webcrypto } from "node:crypto";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { secretKey, type SecretKey } from "../../codecs/index.ts";
import { failureOf, fromHex, toHex } from "./fixtures.ts";
import { vectorGroups, type HkdfVector } from "./vector-files.ts";

const groups = vectorGroups<HkdfVector>("hkdf_sha256_test.json");
const vectors = (groups ?? []).flatMap(({ tests }) => tests);
const lines: string[] = [];

afterEach(() => void vi.restoreAllMocks());
afterAll(() => console.log(lines.join("\n")));

type Derive = SecretKey["derive"];
type Bytes = Uint8Array<ArrayBuffer>;

async function subtleKey(ikm: Bytes): Promise<webcrypto.CryptoKey> {
  return crypto.subtle.importKey("raw", ikm, "HKDF", false, ["deriveBits"]);
}

/** Ways to a derivation: for keys of 256 bits through the kit, for others by what it calls. */
const ways: ReadonlyArray<{
  name: string;
  ours: (ikm: Bytes) => Promise<SecretKey>;
  other: (ikm: Bytes) => Promise<Derive>;
}> = [
  {
    name: "node, raw bytes",
    ours: async (ikm) => secretKey(ikm),
    other: async (ikm) => (salt, info, length) =>
      new Uint8Array(hkdfSync("sha256", ikm, salt, info, length)),
  },
  {
    name: "node, KeyObject",
    ours: async (ikm) => secretKey(createSecretKey(ikm)),
    other: async (ikm) => (salt, info, length) =>
      new Uint8Array(hkdfSync("sha256", createSecretKey(ikm), salt, info, length)),
  },
  {
    name: "noble",
    async ours(ikm) {
      vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
      return secretKey(ikm);
    },
    other: async (ikm) => (salt, info, length) => hkdf(sha256, ikm, salt, info, length),
  },
  {
    name: "Web Crypto",
    ours: async (ikm) => secretKey(await subtleKey(ikm)),
    async other(ikm) {
      const key = await subtleKey(ikm);
      return async (salt, info, length) =>
        new Uint8Array(
          await crypto.subtle.deriveBits(
            { name: "HKDF", hash: "SHA-256", salt, info },
            key,
            length * 8,
          ),
        );
    },
  },
];

describe.skipIf(groups === null)("Wycheproof HKDF-SHA-256", () => {
  test.each(ways)("by $name", async ({ name, ours, other }) => {
    const counts = { ours: 0, other: 0, refused: 0 };
    for (const { tcId, ikm, salt, info, size, okm, result } of vectors) {
      const key = fromHex(ikm);
      const isOurs = key.length === 32;
      const input = [fromHex(salt), fromHex(info), size] as const;
      const made = isOurs ? await ours(key) : { derive: await other(key) };
      const work = (): ReturnType<Derive> => made.derive(...input);
      if (result === "invalid") {
        expect(await failureOf(work)).toBeInstanceOf(Error);
        counts.refused += 1;
      } else {
        expect({ tcId, okm: toHex(await work()) }).toEqual({ tcId, okm });
        counts[isOurs ? "ours" : "other"] += 1;
      }
    }
    lines.push(
      `hkdf by ${name}: ${counts.ours} valid vectors through secretKey(), ${counts.other} below ` +
        `it, ${counts.refused} invalid ones refused`,
    );
    expect(counts).toEqual({ ours: 36, other: 47, refused: 3 });
  });
});
