import { describe, expect, test } from "vitest";
import type { Codec, CodecPlace } from "../src/index.ts";
import { bytesOf, failureOf, firstRing, placeOf } from "../test/codecs/fixtures.ts";
import { aesGcm, compress, pipeline, xchacha } from "./index.ts";

const keys = firstRing;

/** A stage that adds a letter at the end, and takes it off again. */
function letter(id: string, kind: Codec["kind"] = "transform"): Codec {
  return {
    id,
    kind,
    encode: (bytes) => Uint8Array.of(...bytes, id.charCodeAt(0)),
    decode(bytes) {
      if (bytes.at(-1) !== id.charCodeAt(0)) throw new Error(`${id} met what is not its own`);
      return bytes.subarray(0, -1);
    },
  };
}

/** The same stage, asynchronous. */
function later(stage: Codec): Codec {
  return {
    id: stage.id,
    kind: stage.kind,
    encode: async (bytes, context) => stage.encode(bytes, context),
    decode: async (bytes, context) => stage.decode(bytes, context),
  };
}

test("pipeline() encodes left to right and decodes right to left", async () => {
  const codec = pipeline(letter("a"), later(letter("b")), letter("c"));
  const encoded = await codec.encode(bytesOf("-"), placeOf());
  expect(encoded).toEqual(bytesOf("-abc"));
  expect(await codec.decode(encoded, placeOf())).toEqual(bytesOf("-"));
});

test("pipeline() of synchronous stages stays synchronous", () => {
  const codec = pipeline(compress(), aesGcm({ keys, backend: "node" }));
  const encoded = codec.encode(bytesOf("{}"), placeOf());
  expect(encoded).toBeInstanceOf(Uint8Array);
  expect(codec.decode(encoded as Uint8Array, placeOf())).toBeInstanceOf(Uint8Array);
  const deferred = pipeline(letter("a"), later(letter("b")));
  expect(deferred.encode(bytesOf(""), placeOf())).toBeInstanceOf(Promise);
});

test("pipeline() lets an error of any stage through, thrown or rejected", async () => {
  const codec = pipeline(letter("a"), later(letter("b")), letter("c"));
  for (const [text, stage] of [
    ["-ab", "c"],
    ["-ac", "b"],
    ["-bc", "a"],
  ] as const) {
    const error = await failureOf(() => codec.decode(bytesOf(text), placeOf()));
    expect(error).toMatchObject({ message: `${stage} met what is not its own` });
  }
});

test("pipeline() is named by its stages and is as strong as its last one", () => {
  const codec = pipeline(compress(), xchacha({ keys }));
  expect(codec).toMatchObject({ id: "compress+xchacha", kind: "aead" });
  expect(pipeline(compress())).toMatchObject({ id: "compress", kind: "transform" });
  expect(Object.isFrozen(codec)).toBe(true);
});

test("pipeline() tells each stage what stands around it", () => {
  const places: CodecPlace[] = [];
  const curious = (id: string): Codec => ({
    ...letter(id),
    place(place) {
      places.push(place);
      return letter("x");
    },
  });
  const first = curious("a");
  const last = curious("b");
  const codec = pipeline(first, last);
  expect(places).toEqual([
    { pipeline: "a+b", before: [], after: [last] },
    { pipeline: "a+b", before: [first], after: [] },
  ]);
  expect(codec.encode(bytesOf(""), placeOf())).toEqual(bytesOf("xx"));
});

test("pipeline() of one sealing stage reads and writes what the bare stage does", async () => {
  const bare = aesGcm({ keys });
  const alone = pipeline(aesGcm({ keys }));
  const text = bytesOf('{"n":1}');
  for (const [writer, reader] of [
    [bare, alone],
    [alone, bare],
  ] as const) {
    const sealed = await writer.encode(text, placeOf());
    expect(Buffer.from(await reader.decode(sealed, placeOf()))).toEqual(Buffer.from(text));
  }
});

describe("pipeline() refuses at construction", () => {
  const sealing = aesGcm({ keys });
  test.each<[string, readonly Codec[], string]>([
    ["no stages", [], "wanted at least one stage"],
    ["compression after encryption", [sealing, compress()], "cannot stand after aes-gcm"],
    ["two encrypting stages", [sealing, xchacha({ keys })], "cannot stand after aes-gcm"],
    ["one encrypting stage twice", [sealing, sealing], "cannot stand after aes-gcm"],
    ["a stage behind a pipeline that encrypts", [pipeline(sealing), compress()], "cannot stand"],
    ["two stages of one name", [letter("a"), letter("b"), letter("a")], "a stands twice"],
  ])("%s", (_name, stages, message) => {
    expect(() => pipeline(...stages)).toThrow(TypeError);
    expect(() => pipeline(...stages)).toThrow(message);
  });
});
