import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, toHex } from "../test/codecs/fixtures.ts";
import { recordAad } from "./record-aad.ts";

test("recordAad() puts each part's length in front of it", () => {
  const aad = recordAad(Uint8Array.of(1, 2), bytesOf("é"), 2 ** 32 + 5, "t", Uint8Array.of(9));
  expect(toHex(aad)).toBe(
    "00000002" +
      "0102" +
      "00000002" +
      "c3a9" +
      "0000000100000005" +
      "00000001" +
      "74" +
      "0000000109",
  );
});

test("recordAad() has different bytes for different places", () => {
  const part = fc.uint8Array({ maxLength: 6 });
  const seq = fc.oneof(fc.nat(3), fc.nat({ max: Number.MAX_SAFE_INTEGER }));
  const place = fc.tuple(part, part, seq, fc.string({ unit: "binary", maxLength: 4 }), part);
  fc.assert(
    fc.property(place, place, (left, right) => {
      const same = JSON.stringify(left) === JSON.stringify(right);
      expect(toHex(recordAad(...left)) === toHex(recordAad(...right))).toBe(same);
    }),
    { numRuns: 2_000 },
  );
});

test("recordAad() tells moved boundaries apart", () => {
  const empty = new Uint8Array(0);
  const all = [
    recordAad(bytesOf("ab"), bytesOf("c"), 1, "d", empty),
    recordAad(bytesOf("a"), bytesOf("bc"), 1, "d", empty),
    recordAad(bytesOf("ab"), bytesOf("c"), 1, "", bytesOf("d")),
    recordAad(bytesOf("abc"), empty, 1, "d", empty),
  ];
  expect(new Set(all.map(toHex)).size).toBe(all.length);
});

test("recordAad() tells timestamps apart that only differ above the lowest byte of a character", () => {
  const empty = new Uint8Array(0);
  const plain = "2026-01-31T12:00:00.000Z";
  const forged = String.fromCharCode(plain.charCodeAt(0) + 256) + plain.slice(1);
  const aadOf = (ts: string): string => {
    try {
      return toHex(recordAad(empty, empty, 1, ts, empty));
    } catch {
      return "refused";
    }
  };
  expect(aadOf(forged)).not.toBe(aadOf(plain));
});
