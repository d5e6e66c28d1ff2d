/**
 * Goal: a compressed frame that is not exactly what `compress()` makes is refused, whichever deflate
 * reads it. Method: every bit and every length of frames of each kind, and frames with a right
 * checksum and one forged field each.
 */
import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { frameOf, type FrameParts } from "../test/codecs/compressed-frame.ts";
import { bytesOf, flipBit, placeOf, pseudoRandom, refusalOf } from "../test/codecs/fixtures.ts";
import { fflateDeflate, zlibDeflate } from "./deflate.ts";
import { compress } from "./index.ts";

const event = bytesOf('{"type":"user","content":"Hello, hello, hello","origin":"input"}');
const noise = pseudoRandom(1, 100);
const deflated = zlib.deflateRawSync(event);
const kinds = { dictionary: event, deflated: new Uint8Array(20_000), stored: noise };

describe.each([zlibDeflate(zlib), fflateDeflate])("by $id", (deflate) => {
  const codec = compress({ deflate });

  test.each(Object.entries(kinds))(
    "every flipped bit of a %s frame is refused",
    async (_, bytes) => {
      const frame = codec.encode(bytes, placeOf()) as Uint8Array;
      for (let bit = 0; bit < frame.length * 8; bit += 1) {
        const { code, stage } = await refusalOf(codec, flipBit(frame, bit));
        expect(stage).toBe("compress");
        expect(["UNSUPPORTED_FORMAT", "DECODE_FAILED"]).toContain(code);
      }
    },
  );

  test.each(Object.entries(kinds))(
    "every other length of a %s frame is refused",
    async (_, bytes) => {
      const frame = codec.encode(bytes, placeOf()) as Uint8Array;
      const longer = [0, 0xff].map((byte) => Uint8Array.of(...frame, byte));
      const shorter = Array.from(frame, (_byte, length) => frame.subarray(0, length));
      for (const changed of [...longer, ...shorter, Uint8Array.of(...frame, ...frame)]) {
        expect((await refusalOf(codec, changed)).stage).toBe("compress");
      }
    },
  );

  const right: FrameParts = { length: event.length, body: deflated };

  test("a frame made by hand is read", () => {
    expect(Buffer.from(codec.decode(frameOf(right), placeOf()) as Uint8Array)).toEqual(
      Buffer.from(event),
    );
  });

  test.each<[string, FrameParts, string]>([
    ["another version", { ...right, version: 2 }, "UNSUPPORTED_FORMAT"],
    ["another method", { ...right, method: 2 }, "UNSUPPORTED_FORMAT"],
    ["an unknown flag", { ...right, flags: 6 }, "UNSUPPORTED_FORMAT"],
    ["no checksum", { ...right, unchecked: true }, "UNSUPPORTED_FORMAT"],
    ["an unknown dictionary", { ...right, dictionary: "00000000" }, "UNSUPPORTED_FORMAT"],
    ["a length one too small", { ...right, length: event.length - 1 }, "DECODE_FAILED"],
    ["a length one too large", { ...right, length: event.length + 1 }, "DECODE_FAILED"],
    ["length zero", { ...right, length: 0 }, "DECODE_FAILED"],
    ["a length beyond deflate's ratio", { ...right, length: 2 ** 24 }, "DECODE_FAILED"],
    ["a length above the limit", { ...right, length: 2 ** 24 + 1 }, "LIMIT_EXCEEDED"],
    ["the largest length", { ...right, length: 2 ** 28 - 1 }, "LIMIT_EXCEEDED"],
    ["a length of five bytes", { ...right, length: 2 ** 28 }, "DECODE_FAILED"],
    ["a length spelled too long", { ...right, length: Uint8Array.of(0xc0, 0) }, "DECODE_FAILED"],
    ["an empty body", { length: 0, body: new Uint8Array(0) }, "DECODE_FAILED"],
    ["an empty body of some length", { length: 9, body: new Uint8Array(0) }, "DECODE_FAILED"],
    ["a stored body that is shorter", { method: 0, length: 9, body: noise }, "DECODE_FAILED"],
    ["a stored body that is longer", { method: 0, length: 999, body: noise }, "DECODE_FAILED"],
    [
      "a body that deflating made longer",
      { length: noise.length, body: zlib.deflateRawSync(noise) },
      "DECODE_FAILED",
    ],
  ])("a frame with %s and a right checksum is refused", async (_name, parts, code) => {
    expect(await refusalOf(codec, frameOf(parts), placeOf({ seq: 3 }))).toMatchObject({
      code,
      stage: "compress",
      seq: 3,
      sessionId: "session",
    });
  });

  test("a stored frame with a dictionary is refused", async () => {
    const made = codec.encode(event, placeOf()) as Uint8Array;
    const dictionary = Buffer.from(made.subarray(3, 7)).toString("hex");
    const forged = frameOf({ method: 0, dictionary, length: noise.length, body: noise });
    expect(await refusalOf(codec, forged)).toMatchObject({ code: "DECODE_FAILED" });
  });

  test("a checksum where a stage behind authenticates is refused", async () => {
    const aead = { ...compress(), id: "sealing", kind: "aead" as const };
    const placed = compress({ deflate }).place?.({ pipeline: "", before: [], after: [aead] });
    expect(await refusalOf(placed!, frameOf(right))).toMatchObject({ code: "UNSUPPORTED_FORMAT" });
  });
});
