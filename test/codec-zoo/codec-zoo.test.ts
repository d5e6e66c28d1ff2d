/**
 * Goal: the suite for codecs finds what is wrong, says what it is, and finds nothing where nothing is
 * wrong. Method: codecs with one fault each fail exactly the properties that the fault is about; sound
 * ones of other shapes than the kit's pass them all.
 */
import { afterAll, describe, expect, test } from "vitest";
import { certifyCodec, codecProperties, type CodecFixture } from "../../conformance/index.ts";
import type { Codec, CodecContext } from "../../src/index.ts";
import { sealingFixture } from "./broken-codec.ts";
import { brokenCodecs } from "./broken-codecs.ts";
import { sealingCodec, soundSteps } from "./sealing-codec.ts";

/** What only a fault of the engine could break. */
const ofTheEngine = ["C29"];

const figures = { members: 0, exact: 0, assertions: 0 };

afterAll(() => {
  const { members, exact, assertions } = figures;
  console.log(`codec zoo: ${exact} of ${members} exact, ${assertions} assertions`);
});

describe("a codec that", () => {
  test.each(brokenCodecs)("$name fails what it must, and nothing else", async (member) => {
    figures.members += 1;
    const { certified, results, assertions } = await certifyCodec(member.fixture);
    figures.assertions += assertions;
    const failed = results.filter(({ outcome }) => outcome !== "pass" && outcome !== "skip");
    expect(failed.map(({ id }) => id)).toEqual([...member.fails].sort());
    expect(failed.every(({ outcome, message }) => outcome === "fail" && message !== "")).toBe(true);
    expect(certified).toBe(false);
    figures.exact += 1;
  });
});

test("every property has a codec that fails it, and every codec fails something", () => {
  const killed = new Set(brokenCodecs.flatMap(({ fails }) => fails));
  const alive = codecProperties.filter(({ id }) => !killed.has(id)).map(({ id }) => id);
  expect(alive).toEqual(ofTheEngine);
  expect(brokenCodecs.filter(({ fails }) => fails.length === 0)).toEqual([]);
});

/** As people write it who like classes. */
class SealingCodec implements Codec {
  readonly id = "zoo";
  readonly kind = "aead";
  readonly #inner: Codec;

  constructor(key: Uint8Array) {
    this.#inner = sealingCodec(soundSteps(key));
  }

  encode(bytes: Uint8Array, context: CodecContext): Uint8Array | Promise<Uint8Array> {
    return this.#inner.encode(bytes, context);
  }

  async decode(bytes: Uint8Array, context: CodecContext): Promise<Uint8Array> {
    await new Promise(setImmediate);
    return this.#inner.decode(bytes, context);
  }
}

const sound: readonly CodecFixture[] = [
  sealingFixture("sound", (key) => sealingCodec(soundSteps(key))),
  sealingFixture("sound, of a class, slow to decode", (key) => new SealingCodec(key)),
  {
    name: "sound, that changes nothing",
    promises: { authenticates: false },
    createCodec: () => ({
      id: "same",
      kind: "transform",
      encode: (bytes) => Uint8Array.from(bytes),
      decode: (bytes) => bytes,
    }),
  },
];

test.each(sound)("a codec that is $name passes", async (fixture) => {
  const { certified, results } = await certifyCodec(fixture);
  const failed = results.filter(({ outcome }) => outcome !== "pass" && outcome !== "skip");
  expect(failed).toEqual([]);
  expect(certified).toBe(true);
});
