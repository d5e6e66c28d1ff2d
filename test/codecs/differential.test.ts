/**
 * Goal: implementations of one thing are interchangeable byte by byte. Method: for every ordered
 * pair, one writes and the other reads, over random inputs of the sizes where block ciphers,
 * deflate blocks and dictionaries change their ways.
 */
import * as zlib from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { nobleAesGcm, nodeAesGcm, webAesGcm, type Aead } from "../../codecs/aead.ts";
import { fflateDeflate, zlibDeflate, type Deflate } from "../../codecs/deflate.ts";
import { aesGcm, compress, pipeline, type AesGcmOptions } from "../../codecs/index.ts";
import { firstRing, placeOf, pseudoRandom } from "./fixtures.ts";

const sizes = [0, 1, 15, 16, 17, 1_024, 65_536, 2 ** 20];
const lines: string[] = [];

afterAll(() => console.log(lines.join("\n")));

/** Every ordered pair, the equal ones too. */
function pairsOf<T>(items: readonly T[]): Array<readonly [T, T]> {
  return items.flatMap((left) => items.map((right) => [left, right] as const));
}

/** Bytes of one of the sizes, from noise to zeros, so that some compress and some do not. */
const inputs = fc
  .tuple(fc.nat(), fc.constantFrom(...sizes), fc.constantFrom(0, 1, 3, 255))
  .map(([seed, size, mask]) => pseudoRandom(seed, size).map((byte) => byte & mask));

/** One run per size in any case, then random ones. */
const runs = { numRuns: 12 };

function equal(left: Uint8Array | null, right: Uint8Array): boolean {
  return left !== null && Buffer.compare(left, right) === 0;
}

describe("AES-GCM", () => {
  const backends = [nodeAesGcm()!, webAesGcm(), nobleAesGcm];
  const parts = fc.tuple(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.uint8Array({ minLength: 12, maxLength: 12 }),
    fc.uint8Array({ maxLength: 200 }),
  );

  async function agree(
    writer: Aead,
    reader: Aead,
    [key, nonce, aad]: readonly [Uint8Array, Uint8Array, Uint8Array],
    text: Uint8Array,
  ): Promise<boolean> {
    const theirs = await reader.importKey(key);
    const sealed = await writer.seal(await writer.importKey(key), nonce, aad, text);
    const same = equal(await reader.seal(theirs, nonce, aad, text), sealed);
    return same && equal(await reader.open(theirs, nonce, aad, sealed), text);
  }

  const pairs = pairsOf(backends).map(([writer, reader]) => ({ writer, reader }));
  test.each(pairs)("$writer.backend seals, $reader.backend opens", async ({ writer, reader }) => {
    let count = 0;
    const check = async (given: [Uint8Array, Uint8Array, Uint8Array], text: Uint8Array) => {
      count += 1;
      expect(await agree(writer, reader, given, text)).toBe(true);
    };
    for (const size of sizes) {
      const [key, nonce, aad] = [32, 12, 99].map((length) => pseudoRandom(length + size, length));
      await check([key!, nonce!, aad!], pseudoRandom(size, size));
    }
    await fc.assert(fc.asyncProperty(parts, inputs, check), runs);
    lines.push(`aes-gcm ${writer.backend} -> ${reader.backend}: ${count} inputs`);
  });
});

describe("deflate", () => {
  const both = [zlibDeflate(zlib), fflateDeflate];
  const levels = fc.integer({ min: 1, max: 9 });
  const dictionaries = fc.constantFrom("agent-events-v1" as const, "none" as const);

  const pairs = pairsOf(both).map(([writer, reader]) => ({ writer, reader }));
  test.each(pairs)("$writer.id deflates, $reader.id inflates", ({ writer, reader }) => {
    const counts = new Map<string, number>();
    const check = (bytes: Uint8Array, level: number, dictionary: "agent-events-v1" | "none") => {
      const codec = compress({ deflate: writer, level, dictionary });
      const frame = codec.encode(bytes, placeOf()) as Uint8Array;
      const read = compress({ deflate: reader }).decode(frame, placeOf()) as Uint8Array;
      expect(equal(read, bytes)).toBe(true);
      const kind = ["stored", "deflated"][frame[1]!]!;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    };
    for (const size of sizes) {
      check(pseudoRandom(size, size), 6, "agent-events-v1");
      check(new Uint8Array(size), 6, "agent-events-v1");
    }
    fc.assert(fc.property(inputs, levels, dictionaries, check), runs);
    lines.push(`${writer.id} -> ${reader.id}: ${JSON.stringify(Object.fromEntries(counts))}`);
    expect(counts.size).toBe(2);
  });
});

describe("the whole pipeline", () => {
  const backends = ["node", "webcrypto", "noble"] as const;
  const whole = (backend: AesGcmOptions["backend"], deflate: Deflate) =>
    pipeline(compress({ deflate }), aesGcm({ keys: firstRing, backend }));
  const pipelines = backends.flatMap((backend) => [
    whole(backend, zlibDeflate(zlib)),
    whole(backend, fflateDeflate),
  ]);

  test("of any platform is read on any other", async () => {
    let count = 0;
    for (const [writer, reader] of pairsOf(pipelines)) {
      for (const size of [0, 17, 1_024, 65_536]) {
        const bytes = pseudoRandom(size, size).map((byte) => byte & 3);
        const sealed = await writer.encode(bytes, placeOf());
        expect(equal(await reader.decode(sealed, placeOf()), bytes)).toBe(true);
        count += 1;
      }
    }
    lines.push(`compress+aes-gcm: ${count} records over ${pipelines.length ** 2} pairs`);
  });
});
