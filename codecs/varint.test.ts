import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeVarint, encodeVarint } from "./varint.ts";

const edges = [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 2 ** 28 - 1];

test("decodeVarint() reads what encodeVarint() wrote, wherever it stands", () => {
  const numbers = fc.oneof(fc.constantFrom(...edges), fc.nat(2 ** 28 - 1));
  fc.assert(
    fc.property(numbers, fc.uint8Array({ maxLength: 5 }), (value, before) => {
      const bytes = Uint8Array.from([...before, ...encodeVarint(value), 0xff]);
      const end = bytes.length - 1;
      expect(decodeVarint(bytes, before.length)).toEqual({ value, end });
    }),
  );
});

test("encodeVarint() takes one byte per seven bits", () => {
  expect(edges.map((value) => encodeVarint(value).length)).toEqual([1, 1, 1, 2, 2, 3, 3, 4, 4]);
});

test("decodeVarint() accepts one spelling of each number only", () => {
  const doubled: Uint8Array[] = [];
  for (let first = 0; first < 256; first += 1) {
    for (let second = 0; second < 256; second += 1) {
      const bytes = Uint8Array.of(first, second);
      const read = decodeVarint(bytes, 0);
      if (read === null) continue;
      const spelled = encodeVarint(read.value);
      if (Buffer.compare(spelled, bytes.subarray(0, read.end)) !== 0) doubled.push(bytes);
    }
  }
  expect(doubled).toEqual([]);
});

test("decodeVarint() refuses numbers that are cut, too long or spelled longer than needed", () => {
  const refused = [[], [0x80], [0xff, 0xff, 0xff], [0x80, 0x00], [0xff, 0x80, 0x00]];
  for (const bytes of [...refused, [0x80, 0x80, 0x80, 0x80, 0x01], [0xff, 0xff, 0xff, 0xff]]) {
    expect(decodeVarint(Uint8Array.from(bytes), 0)).toBeNull();
  }
});
