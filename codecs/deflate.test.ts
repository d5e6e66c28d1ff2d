/**
 * Goal: the faults of fflate 0.8.3 stay behind the wrapper. Method: each fault is shown on the bare
 * library first, so that the test says when a fault is gone, and then on the wrapper.
 */
import * as zlib from "node:zlib";
import { deflateSync, inflateSync } from "fflate";
import { afterEach, describe, expect, test, vi } from "vitest";
import { seededRandom } from "../bench/seeded-random.ts";
import { bytesOf, pseudoRandom } from "../test/codecs/fixtures.ts";
import { agentEventsV1 } from "./agent-dictionary.ts";
import { defaultDeflate, fflateDeflate, zlibDeflate } from "./deflate.ts";

const zlibbed = zlibDeflate(zlib);
const both = [zlibbed, fflateDeflate];

/** One block of the letter `a`, as zlib's encoder would not go on writing it: a bit for each. */
function literalsOnly(count: number): Uint8Array {
  const { Z_HUFFMAN_ONLY } = zlib.constants;
  const begun = 20_000;
  const options = { strategy: Z_HUFFMAN_ONLY, memLevel: 9 };
  const block = zlib.deflateRawSync(Buffer.alloc(begun, "a"), options);
  // In the middle every byte is zero and stands for eight letters.
  const more = new Uint8Array((count - begun) / 8);
  return Uint8Array.of(...block.subarray(0, 1_000), ...more, ...block.subarray(1_000));
}

describe("defaultDeflate()", () => {
  afterEach(() => void vi.restoreAllMocks());

  function platformWith(module: typeof zlib | undefined): void {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(module);
  }

  test("is zlib where there is one", () => {
    expect(defaultDeflate().id).toBe("zlib");
  });

  test("is fflate where there is none", () => {
    platformWith(undefined);
    expect(defaultDeflate().id).toBe("fflate");
  });

  test("is fflate where zlib ignores dictionaries, as in Deno 2.9", () => {
    platformWith({
      ...zlib,
      deflateRawSync: (bytes, options) =>
        zlib.deflateRawSync(bytes, { ...options, dictionary: undefined }),
      inflateRawSync: (bytes, options) =>
        zlib.inflateRawSync(bytes, { ...options, dictionary: undefined }),
    });
    expect(defaultDeflate().id).toBe("fflate");
  });
});

describe("the dictionary encoder of fflate", () => {
  test("corrupts noise behind a short dictionary, which the wrapper does not let out", () => {
    const dictionary = pseudoRandom(0, 28);
    const noise = pseudoRandom(100, 1_000);
    const bare = deflateSync(noise, { level: 6, dictionary });
    expect(Buffer.from(zlib.inflateRawSync(bare, { dictionary }))).toEqual(
      Buffer.concat([dictionary, noise]),
    );
    // Longer than the input, so compress() stores it.
    expect(fflateDeflate.deflate(noise, 6, dictionary).length).toBeGreaterThan(noise.length);
  });

  test("corrupts noise before zeros although that gets smaller, which the wrapper notices", () => {
    const dictionary = pseudoRandom(4, 28);
    const mixed = Uint8Array.from([...pseudoRandom(5, 30_000), ...new Uint8Array(30_000)]);
    const bare = deflateSync(mixed, { level: 6, dictionary });
    expect(bare.length).toBeLessThan(mixed.length);
    expect(Buffer.from(zlib.inflateRawSync(bare, { dictionary })).equals(mixed)).toBe(false);
    expect(fflateDeflate.deflate(mixed, 6, dictionary).length).toBeGreaterThan(mixed.length);
  });

  test("is right behind the agents' dictionary, in 600 adversarial inputs of up to 16 KiB", () => {
    const dictionary = bytesOf(agentEventsV1);
    const next = seededRandom(6);
    let refused = 0;
    for (let trial = 0; trial < 600; trial += 1) {
      const noise = pseudoRandom(trial, Math.floor(next() ** 3 * 8_192));
      const from = Math.floor(next() * dictionary.length);
      const input = Uint8Array.from([...noise, ...dictionary.subarray(from), ...noise]).subarray(
        0,
        16_384,
      );
      const deflated = fflateDeflate.deflate(input, 1 + (trial % 9), dictionary);
      if (deflated.length > input.length) refused += 1;
      else expect(Buffer.compare(zlib.inflateRawSync(deflated, { dictionary }), input)).toBe(0);
    }
    expect(refused).toBeLessThan(300);
  });
});

test("fflate cuts a valid stream of 200,000 literals, and the wrapper does not", () => {
  const letters = Buffer.alloc(200_000, "a");
  const stream = literalsOnly(letters.length);
  expect(zlib.inflateRawSync(stream).equals(letters)).toBe(true);
  expect(inflateSync(stream)).toHaveLength(150_078);
  for (const deflate of both) {
    const inflated = deflate.inflate(stream, letters.length, undefined);
    expect(inflated !== null && letters.equals(inflated)).toBe(true);
  }
});

test("fflate gives zeros for an empty stream, and the wrapper refuses it", () => {
  const empty = new Uint8Array(0);
  expect(inflateSync(empty, { out: new Uint8Array(9) })).toEqual(new Uint8Array(9));
  for (const deflate of both) {
    for (const length of [0, 1, 9]) expect(deflate.inflate(empty, length, undefined)).toBeNull();
  }
});

test("fflate cuts to a short output, and the wrapper refuses every length but the right one", () => {
  const text = bytesOf("to be or not to be, that is the question ".repeat(9));
  const stream = zlib.deflateRawSync(text);
  expect(inflateSync(stream, { out: new Uint8Array(10) })).toHaveLength(10);
  for (const deflate of both) {
    for (const length of [0, 1, 10, text.length - 1, text.length + 1, 2 * text.length]) {
      expect(deflate.inflate(stream, length, undefined)).toBeNull();
    }
    expect(deflate.inflate(stream, text.length, undefined)).toHaveLength(text.length);
  }
});

test("inflate() refuses a stream that is cut, at every length", () => {
  const text = bytesOf("to be or not to be, that is the question ".repeat(9));
  const stream = zlib.deflateRawSync(text);
  for (const deflate of both) {
    for (let length = 0; length < stream.length; length += 1) {
      expect(deflate.inflate(stream.subarray(0, length), text.length, undefined)).toBeNull();
    }
  }
});

test("zlib notices bytes behind the end, which fflate cannot see", () => {
  const text = bytesOf("to be or not to be, that is the question ".repeat(9));
  const longer = Uint8Array.of(...zlib.deflateRawSync(text), 0);
  expect(zlibbed.inflate(longer, text.length, undefined)).toBeNull();
  expect(fflateDeflate.inflate(longer, text.length, undefined)).not.toBeNull();
});
