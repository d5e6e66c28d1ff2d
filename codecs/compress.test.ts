import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { bytesOf, firstRing, placeOf, pseudoRandom, toHex } from "../test/codecs/fixtures.ts";
import { fflateDeflate, zlibDeflate } from "./deflate.ts";
import { aesGcm, compress, pipeline, type CompressOptions } from "./index.ts";

const event = bytesOf('{"type":"user","content":"Hello, hello, hello","origin":"input"}');
const noise = pseudoRandom(1, 300);

function encode(bytes: Uint8Array, options?: CompressOptions): Uint8Array {
  return compress(options).encode(bytes, placeOf()) as Uint8Array;
}

function decode(bytes: Uint8Array, options?: CompressOptions): Uint8Array {
  return Uint8Array.from(compress(options).decode(bytes, placeOf()) as Uint8Array);
}

describe.each([zlibDeflate(zlib), fflateDeflate])("compress() by $id", (deflate) => {
  test("a frame has its fields where docs/format.md says", () => {
    expect(toHex(encode(event, { deflate })).slice(0, 16)).toBe("010103" + "48060e1c" + "40");
    expect(toHex(encode(event, { deflate, dictionary: "none" })).slice(0, 8)).toBe("01010240");
    expect(toHex(encode(noise, { deflate })).slice(0, 10)).toBe("010002ac02");
  });

  test("what does not get smaller is stored, with nine bytes more", () => {
    const frame = encode(noise, { deflate });
    expect(frame.length).toBe(noise.length + 9);
    expect(decode(encode(new Uint8Array(0), { deflate }))).toEqual(new Uint8Array(0));
  });

  test("the dictionary makes small events smaller and is not used for large inputs", () => {
    const length = (bytes: Uint8Array, dictionary: "none" | "agent-events-v1"): number =>
      encode(bytes, { deflate, dictionary }).length;
    expect(length(event, "agent-events-v1")).toBeLessThan(length(event, "none") * 0.75);
    const large = new Uint8Array(16 * 1_024 + 1);
    expect(length(large, "agent-events-v1")).toBe(length(large, "none"));
  });

  test("a reader reads frames of either dictionary setting", () => {
    for (const dictionary of ["none", "agent-events-v1"] as const) {
      const other = dictionary === "none" ? "agent-events-v1" : "none";
      expect(
        decode(encode(event, { deflate, dictionary }), { deflate, dictionary: other }),
      ).toEqual(event);
    }
  });

  test("a frame depends on nothing but its own bytes", () => {
    const codec = compress({ deflate });
    const before = codec.encode(event, placeOf()) as Uint8Array;
    void codec.encode(bytesOf("a secret that another event holds".repeat(9)), placeOf());
    expect(codec.encode(event, placeOf({ sessionId: "other", seq: 9 }))).toEqual(before);
  });
});

test("the checksum gives way to a stage that authenticates", async () => {
  const alone = encode(noise);
  const place = placeOf();
  const inner = compress().place?.({
    pipeline: "compress+aes-gcm",
    before: [],
    after: [aesGcm({ keys: firstRing })],
  });
  const placed = (await inner?.encode(noise, place)) as Uint8Array;
  expect(placed.length).toBe(alone.length - 4);
  expect(placed[2]).toBe(0);
  const sealed = pipeline(compress(), aesGcm({ keys: firstRing, pad: "none" }));
  expect(await sealed.encode(noise, place)).toHaveLength(84 + placed.length);
});

test("a pipeline of transforms keeps the checksum", () => {
  const frame = pipeline(compress()).encode(event, placeOf()) as Uint8Array;
  expect(frame).toEqual(encode(event));
});

test("encode() refuses what decode() would refuse", () => {
  const codec = compress({ maxDecodedBytes: 100 });
  expect(codec.encode(new Uint8Array(100), placeOf())).toBeInstanceOf(Uint8Array);
  expect(() => codec.encode(new Uint8Array(101), placeOf({ seq: 7 }))).toThrow(
    expect.objectContaining({ code: "LIMIT_EXCEEDED", stage: "compress", seq: 7 }),
  );
});

test.each<[string, unknown]>([
  ["level 0", { level: 0 }],
  ["level 10", { level: 10 }],
  ["level 1.5", { level: 1.5 }],
  ["level NaN", { level: Number.NaN }],
  ["an unknown dictionary", { dictionary: "agent-events-v2" }],
  ["maxDecodedBytes 0", { maxDecodedBytes: 0 }],
  ["maxDecodedBytes 2^28", { maxDecodedBytes: 2 ** 28 }],
  ["maxDecodedBytes Infinity", { maxDecodedBytes: Infinity }],
])("compress() refuses %s", (_name, options) => {
  expect(() => compress(options as CompressOptions)).toThrow(RangeError);
});
