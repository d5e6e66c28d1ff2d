import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fuzz } from "../test/contract/fuzz.ts";
import { utf8Length } from "./utf8.ts";

const encoder = new TextEncoder();

test("utf8Length() counts what an encoder writes, for any UTF-16 text", () => {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const surrogate = fc.integer({ min: 0xd7fe, max: 0xe001 }).map((n) => String.fromCharCode(n));
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.oneof(unit, surrogate) }),
  );
  const check = fc.property(text, (value) => {
    expect(utf8Length(value)).toBe(encoder.encode(value).length);
  });
  fc.assert(check, fuzz(1_000));
});

test.each([
  ["", 0],
  ["\u007f", 1],
  ["\u0080\u07ff", 4],
  ["\u0800\uffff", 6],
  ["\u{10000}\u{10ffff}", 8],
  ["\ud800", 3],
  ["\ud800\ud800\udc00", 7],
  ["\udc00\ud800", 6],
])("utf8Length() of %j is %d", (text, bytes) => {
  expect(utf8Length(text)).toBe(bytes);
});
