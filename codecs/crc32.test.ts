import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf } from "../test/codecs/fixtures.ts";
import { crc32 } from "./crc32.ts";

test("crc32() gives the check value of ISO 3309 and agrees with zlib", () => {
  expect(crc32(bytesOf("123456789"))).toBe(0xcbf43926);
  expect(crc32(new Uint8Array(0))).toBe(0);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(crc32(bytes)).toBe(zlibCrc32(bytes));
    }),
  );
});
