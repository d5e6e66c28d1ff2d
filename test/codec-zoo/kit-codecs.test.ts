/**
 * Goal: the kit's codecs keep what third parties are asked to keep. Method: the same suite, through the
 * same door, one test for each property.
 */
import { afterAll, describe, expect, test } from "vitest";
import {
  aesGcm,
  compress,
  keyRing,
  localWrapper,
  memoryKeyStore,
  pipeline,
  sessionKeys,
  xchacha,
  type KeySource,
} from "../../codecs/index.ts";
import { certifyCodec, codecProperties, type CodecFixture } from "../../conformance/index.ts";
import type { Codec } from "../../src/index.ts";
import { xorCodec } from "../xor-codec.ts";

const key = Uint8Array.from({ length: 32 }, (_, index) => 0x9d ^ (index * 11));
const foreignKey = new Uint8Array(32).fill(0x44);

/** A codec that seals with keys, however it gets them. */
function sealing(name: string, create: (keys: KeySource) => Codec): CodecFixture {
  return {
    name,
    promises: { authenticates: true },
    createCodec: () => create(keyRing({ primary: key })),
    createForeign: () => create(keyRing({ primary: foreignKey })),
    secrets: [key],
  };
}

/** Small enough for the largest payloads of the suite, and no bomb. */
const limit = { maxDecodedBytes: 2 * 1_048_576 };
const unlimited = { maxDecodedBytes: 2 ** 28 - 1 };

const compressed = (keys: KeySource, most: typeof limit): Codec =>
  pipeline(compress(most), aesGcm({ keys }));

/** Two stores of session keys, each shared by every process that uses it. */
function withSessionKeys(): CodecFixture {
  const wrapper = localWrapper({ key });
  const [ours, theirs] = [memoryKeyStore(), memoryKeyStore()];
  return {
    name: "aes-gcm with session keys",
    promises: { authenticates: true },
    createCodec: () => aesGcm({ keys: sessionKeys({ store: ours, wrapper }) }),
    createForeign: () => aesGcm({ keys: sessionKeys({ store: theirs, wrapper }) }),
    secrets: [key],
  };
}

const fixtures: readonly CodecFixture[] = [
  {
    name: "compress",
    promises: { authenticates: false, ...limit },
    createCodec: () => compress(limit),
    encodeUnlimited: (bytes, context) => compress(unlimited).encode(bytes, context),
  },
  sealing("aes-gcm of Node", (keys) => aesGcm({ keys, backend: "node" })),
  sealing("aes-gcm of noble", (keys) => aesGcm({ keys, backend: "noble" })),
  sealing("aes-gcm of Web Crypto", (keys) => aesGcm({ keys, backend: "webcrypto" })),
  {
    ...sealing("aes-gcm without a chain", (keys) => aesGcm({ keys, chain: false })),
    promises: { authenticates: true, chains: false },
  },
  sealing("xchacha", (keys) => xchacha({ keys })),
  {
    ...sealing("compress+aes-gcm", (keys) => compressed(keys, limit)),
    promises: { authenticates: true, ...limit },
    encodeUnlimited: (bytes, context) =>
      compressed(keyRing({ primary: key }), unlimited).encode(bytes, context),
  },
  withSessionKeys(),
  {
    // Its checksum needs no key, so it promises nothing but the round trip.
    name: "xor",
    promises: { authenticates: false },
    createCodec: () => ({ ...xorCodec(), kind: "transform" }),
  },
];

const rows: string[] = [];
afterAll(() => console.log(["codec | held | left out | assertions", ...rows].join("\n")));

describe.each(fixtures)("$name", (fixture) => {
  const counts = { pass: 0, skip: 0, assertions: 0 };
  afterAll(() => {
    rows.push(`${fixture.name} | ${counts.pass} | ${counts.skip} | ${counts.assertions}`);
  });

  for (const { id, statement } of codecProperties) {
    test(`${id} ${statement}`, async ({ skip }) => {
      const { results, assertions } = await certifyCodec(fixture, { only: [id] });
      const [result] = results;
      counts.assertions += assertions;
      if (result?.outcome === "skip") {
        counts.skip += 1;
        expect(result.blocks, result.message).toBe(false);
        skip(result.message);
      }
      expect(result).toMatchObject({ outcome: "pass" });
      counts.pass += 1;
    });
  }
});
