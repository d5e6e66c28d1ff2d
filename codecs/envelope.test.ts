import { inflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fromHex, setByte, toHex } from "../test/codecs/fixtures.ts";
import { aesGcmSuite, xchachaSuite } from "./aead.ts";
import { createHeader, parseEnvelope, tagOf, withNonce, type Envelope } from "./envelope.ts";

const keyId = "0123456789abcdef";
const salt = new Uint8Array(12).fill(0xa1);
const commitment = new Uint8Array(32).fill(0xb2);

describe.each([aesGcmSuite, xchachaSuite])("suite $number", (suite) => {
  const nonce = new Uint8Array(suite.nonceBytes).fill(0xc3);
  const sealed = new Uint8Array(20).fill(0xd4);
  const flags = { chained: true, padded: false };
  const header = withNonce(createHeader(suite, flags, keyId, salt, commitment), nonce);
  const record = Uint8Array.of(...header, ...sealed);

  test("a header has its fields where docs/format.md says", () => {
    expect(toHex(header)).toBe(
      `f601${suite.number === 1 ? "01" : "02"}01${keyId}${toHex(salt)}${toHex(commitment)}` +
        toHex(nonce),
    );
  });

  test("parseEnvelope() takes a record apart", () => {
    expect(parseEnvelope(record, suite)).toEqual({
      chained: true,
      padded: false,
      keyId,
      salt,
      commitment,
      nonce,
      header,
      sealed,
    });
    expect(tagOf(record)).toEqual(sealed.slice(4));
  });

  test("parseEnvelope() refuses every other value of the magic, version and suite bytes", () => {
    for (const [position, fault] of [["plain"], ["unsupported"], ["unsupported"]].entries()) {
      for (let value = 0; value < 256; value += 1) {
        if (value === record[position]) continue;
        expect(parseEnvelope(setByte(record, position, value), suite)).toBe(fault[0]);
      }
    }
  });

  test("parseEnvelope() knows two flags and refuses the others", () => {
    for (let value = 0; value < 256; value += 1) {
      const parsed = parseEnvelope(setByte(record, 3, value), suite);
      if (value > 3) expect(parsed).toBe("unsupported");
      else expect(parsed).toMatchObject({ chained: value % 2 === 1, padded: value > 1 });
    }
  });

  test("parseEnvelope() refuses a record too short for a header and a tag", () => {
    const least = header.length + 16;
    expect(parseEnvelope(record.subarray(0, 0), suite)).toBe("plain");
    for (let length = 1; length < least; length += 1) {
      expect(parseEnvelope(record.subarray(0, length), suite)).toBe("unsupported");
    }
    const shortest = parseEnvelope(record.subarray(0, least), suite) as Envelope;
    expect(shortest.sealed).toHaveLength(16);
  });
});

test("withNonce() leaves the header of the epoch as it was", () => {
  const header = createHeader(aesGcmSuite, { chained: false, padded: true }, keyId, salt, salt);
  const before = toHex(header);
  withNonce(header, new Uint8Array(12).fill(0xff));
  expect(toHex(header)).toBe(before);
});

test("the magic byte begins no UTF-8 text and no raw deflate stream", () => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let next = 0; next < 256; next += 1) {
    expect(() => decoder.decode(Uint8Array.of(0xf6, next, 0x80, 0x80))).toThrow(TypeError);
    expect(() => inflateRawSync(Uint8Array.of(0xf6, next, 0, 0))).toThrow("invalid block type");
  }
  expect(fromHex("f6")[0]! & 0b110).toBe(0b110);
});
