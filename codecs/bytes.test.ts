import fc from "fast-check";
import { expect, test } from "vitest";
import { concat, equalInConstantTime, lengthPrefixed, toHex, utf8 } from "./bytes.ts";

const lists = fc.array(fc.uint8Array({ maxLength: 5 }), { maxLength: 4 });

test("concat() joins parts in order into bytes of their own", () => {
  fc.assert(
    fc.property(lists, (parts) => {
      const whole = concat(...parts);
      expect([...whole]).toEqual(parts.flatMap((part) => [...part]));
      expect(whole.byteLength).toBe(whole.buffer.byteLength);
    }),
  );
});

test("lengthPrefixed() has different bytes for different lists", () => {
  fc.assert(
    fc.property(lists, lists, (left, right) => {
      const same = JSON.stringify(left) === JSON.stringify(right);
      expect(toHex(lengthPrefixed(...left)) === toHex(lengthPrefixed(...right))).toBe(same);
    }),
  );
  const split = [utf8("ab"), utf8("c")];
  expect(lengthPrefixed(...split)).not.toEqual(lengthPrefixed(utf8("a"), utf8("bc")));
});

test("equalInConstantTime() compares every byte and the lengths", () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => index);
  expect(equalInConstantTime(bytes, bytes.slice())).toBe(true);
  for (let index = 0; index < bytes.length; index += 1) {
    const other = bytes.slice();
    other[index]! ^= 0x80;
    expect(equalInConstantTime(bytes, other)).toBe(false);
  }
  expect(equalInConstantTime(bytes, bytes.subarray(1))).toBe(false);
  expect(equalInConstantTime(bytes, Uint8Array.of(...bytes, 0))).toBe(false);
  expect(equalInConstantTime(new Uint8Array(0), Uint8Array.of(0))).toBe(false);
});

test("toHex() writes two lower-case digits a byte", () => {
  expect(toHex(Uint8Array.of(0, 1, 0x0f, 0xa0, 0xff))).toBe("00010fa0ff");
});
