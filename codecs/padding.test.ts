import fc from "fast-check";
import { expect, test } from "vitest";
import { pseudoRandom } from "../test/codecs/fixtures.ts";
import { pad, unpad } from "./padding.ts";

test("unpad() gives back what pad() was given", () => {
  const lengths = Array.from({ length: 1_100 }, (_, length) => length);
  for (const length of [...lengths, 16_382, 16_383, 16_384, 65_536, 2 ** 21 + 1]) {
    const bytes = pseudoRandom(length, length);
    const back = unpad(pad(bytes));
    expect(back !== null && Buffer.compare(back, bytes) === 0).toBe(true);
  }
});

test("pad() costs at most 12 % and leaves few lengths to tell apart", () => {
  const lengths = new Set<number>();
  const excessive: number[] = [];
  for (let length = 0; length <= 20_000; length += 7) {
    const padded = pad(new Uint8Array(length)).length;
    const framed = length + (length < 128 ? 1 : length < 16_384 ? 2 : 3);
    if (padded < framed || padded > Math.ceil(framed * 1.12)) excessive.push(length);
    lengths.add(padded);
  }
  expect(excessive).toEqual([]);
  // Sixteen lengths per power of two, once there are that many.
  expect(lengths.size).toBeLessThan(160);
});

test("unpad() refuses every other padding than the one pad() adds", () => {
  const padded = pad(new Uint8Array(100).fill(7));
  const end = 101;
  expect(padded.length).toBeGreaterThan(end);
  for (let position = end; position < padded.length; position += 1) {
    const changed = padded.slice();
    changed[position] = 1;
    expect(unpad(changed)).toBeNull();
  }
  for (let length = 0; length < padded.length; length += 1) {
    expect(unpad(padded.subarray(0, length))).toBeNull();
  }
  expect(unpad(Uint8Array.of(...padded, 0))).toBeNull();
});

test("unpad() accepts nothing that pad() would not have made", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const inner = unpad(bytes);
      if (inner !== null) expect(pad(inner)).toEqual(bytes);
    }),
    { numRuns: 5_000 },
  );
});
