/**
 * Goal: whatever bytes a store holds, a decoder answers with the right bytes or with an error of the
 * kit, soon and in little memory. Method: arbitrary bytes, and mutations of valid records that keep
 * most of a record right, since noise alone never gets past the first checks. Seeds are fixed; a
 * failure names its trial.
 */
import * as zlib from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { decodeHeader, decodeRecord, encodeRecord } from "../../adapters/file/record-line.ts";
import { seededRandom } from "../../bench/seeded-random.ts";
import { aesGcmSuite, xchachaSuite } from "../../codecs/aead.ts";
import { parseEnvelope } from "../../codecs/envelope.ts";
import { fflateDeflate, zlibDeflate, type Deflate } from "../../codecs/deflate.ts";
import { aesGcm, compress, pipeline, xchacha } from "../../codecs/index.ts";
import { unpad } from "../../codecs/padding.ts";
import { decodeVarint } from "../../codecs/varint.ts";
import { CodecError, type Codec } from "../../src/index.ts";
import { frameOf } from "./compressed-frame.ts";
import { bytesOf, firstRing, placeOf, pseudoRandom } from "./fixtures.ts";
import { mutate } from "./mutate.ts";

const keys = firstRing;
const maxDecodedBytes = 65_536;
const place = placeOf();
const texts = [
  bytesOf('{"type":"user","content":"hello hello hello hello"}'),
  bytesOf(JSON.stringify({ type: "tool_result", callId: "call_1", output: "line\n".repeat(300) })),
  bytesOf(`{"noise":"${Buffer.from(pseudoRandom(1, 300)).toString("base64")}"}`),
  bytesOf("{}"),
];

let executions = 0;
let slowest = 0;
const before = process.memoryUsage().rss;

afterAll(() => {
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  console.log(
    `fuzz: ${executions} executions, slowest ${slowest.toFixed(1)} ms, +${grown.toFixed(0)} MiB`,
  );
  expect(slowest).toBeLessThan(2_000);
  expect(grown).toBeLessThan(512);
});

/** Runs a decoder once; null stands for a typed refusal. */
function execute(codec: Codec, bytes: Uint8Array): Uint8Array | null {
  executions += 1;
  const begin = performance.now();
  try {
    const result = codec.decode(bytes, place);
    if (!(result instanceof Uint8Array)) throw new Error("wanted bytes, met something else");
    return result;
  } catch (error) {
    if (error instanceof CodecError && error.sessionId === place.sessionId) return null;
    throw error;
  } finally {
    slowest = Math.max(slowest, performance.now() - begin);
  }
}

function unchecked(deflate: Deflate): Codec {
  const after = [aesGcm({ keys })];
  return compress({ deflate, maxDecodedBytes }).place!({ pipeline: "", before: [], after });
}

const zlibbed = zlibDeflate(zlib);
const decoders: ReadonlyArray<readonly [string, Codec, boolean]> = [
  ["aes-gcm", aesGcm({ keys }), true],
  ["xchacha", xchacha({ keys }), true],
  ["compress+aes-gcm", pipeline(compress(), aesGcm({ keys })), true],
  ["compress by zlib", compress({ deflate: zlibbed, maxDecodedBytes }), true],
  ["compress by fflate", compress({ deflate: fflateDeflate, maxDecodedBytes }), true],
  ["compress by zlib behind a seal", unchecked(zlibbed), false],
  ["compress by fflate behind a seal", unchecked(fflateDeflate), false],
];

describe.each(decoders)("%s", (_name, codec, detects) => {
  test("answers to arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const result = execute(codec, bytes);
        if (detects) expect(result).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  test("answers to mutated records", () => {
    const valid = texts.map((text) => codec.encode(text, place) as Uint8Array);
    const accepted: number[] = [];
    for (let trial = 0; trial < 12_000; trial += 1) {
      const next = seededRandom(trial);
      const bytes = mutate(valid, next);
      const result = execute(codec, bytes);
      if (result === null) continue;
      const same = valid.some((record) => Buffer.compare(record, bytes) === 0);
      if (detects ? !same : result.length > maxDecodedBytes) accepted.push(trial);
    }
    expect(accepted).toEqual([]);
  });
});

describe.each([zlibbed, fflateDeflate])("compress by $id", (deflate) => {
  test("answers to mutated frames whose checksum is right", () => {
    const codec = compress({ deflate, maxDecodedBytes });
    const bodies = texts.map((text) => zlib.deflateRawSync(text));
    let read = 0;
    for (let trial = 0; trial < 12_000; trial += 1) {
      const next = seededRandom(trial);
      const text = texts[trial % texts.length]!;
      const lengths = [text.length, text.length + 1, 1, Math.floor(next() * maxDecodedBytes)];
      const length = lengths[Math.floor(next() * lengths.length)]!;
      const body = mutate(bodies, next);
      const result = execute(codec, frameOf({ method: next() < 0.9 ? 1 : 0, length, body }));
      if (result === null) continue;
      read += 1;
      expect(result).toHaveLength(length);
    }
    expect(read).toBeGreaterThan(0);
  });
});

test("parsers answer to arbitrary and to mutated bytes without throwing", () => {
  const record = aesGcm({ keys }).encode(texts[0]!, place) as Uint8Array;
  const valid = [record, pseudoRandom(3, 60), Uint8Array.of(1, 0x80, 0xff), bytesOf("{}")];
  for (let trial = 0; trial < 12_000; trial += 1) {
    const bytes = mutate(valid, seededRandom(trial));
    executions += 4;
    unpad(bytes);
    decodeVarint(bytes, 0);
    parseEnvelope(bytes, aesGcmSuite);
    parseEnvelope(bytes, xchachaSuite);
  }
});

test("lines of a file with a right checksum are read back to themselves or refused", () => {
  const { ts } = place;
  const lines = [
    { seq: 1, ts, left: 0, payload: Buffer.from(pseudoRandom(4, 120)) },
    { seq: 22, ts, left: 3, key: 'a "key" \\ \u00e9', payload: '{"n":1}' },
    { seq: 2, ts, left: 0, key: "k", payload: Buffer.from(pseudoRandom(5, 91)) },
  ].map((record) => encodeRecord(record).subarray(0, -19));
  const faults: string[] = [];
  for (let trial = 0; trial < 12_000; trial += 1) {
    const content = Buffer.from(mutate(lines, seededRandom(trial)));
    const checksum = zlib.crc32(content).toString(16).padStart(8, "0");
    const line = Buffer.concat([content, Buffer.from(`,"crc":"${checksum}"}`)]);
    executions += 2;
    try {
      decodeHeader(line, line.length);
      const read = decodeRecord(line, 0, line.length);
      // What stands in a plain event is for JSON.parse to judge, later.
      if (read === null || typeof read.payload === "string") continue;
      if (!encodeRecord(read).subarray(0, -1).equals(line)) faults.push(`${trial}: other spelling`);
    } catch (error) {
      faults.push(`${trial}: ${String(error)}`);
    }
  }
  expect(faults).toEqual([]);
});
