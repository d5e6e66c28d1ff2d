/**
 * Goal: a few bytes cannot make a reader work or allocate without bound. Deflate stops at 1,032 to
 * one, so a gigabyte takes a megabyte of input; ten kilobytes can only claim it. Frames carry a
 * right checksum, since whoever writes to the storage can compute one.
 */
import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { deflatedZeros, frameOf } from "../test/codecs/compressed-frame.ts";
import { placeOf, refusalOf } from "../test/codecs/fixtures.ts";
import { fflateDeflate, zlibDeflate } from "./deflate.ts";
import { compress } from "./index.ts";

const gigabyte = deflatedZeros(1_024);
const tenKilobytes = deflatedZeros(10);

/** Runs `work` and tells how much of a processor it took and by how much the process grew. */
async function measure<T>(work: () => Promise<T>): Promise<{ value: T; ms: number; mib: number }> {
  const peak = (): number => process.resourceUsage().maxRSS;
  const before = peak();
  const begin = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(begin);
  return { value, ms: (user + system) / 1_000, mib: (peak() - before) / 1_024 };
}

describe.each([zlibDeflate(zlib), fflateDeflate])("by $id", (deflate) => {
  const codec = compress({ deflate });

  test.each<[string, Uint8Array, number, string, number]>([
    ["10 KB that claim 256 MiB", tenKilobytes, 2 ** 28 - 1, "LIMIT_EXCEEDED", 250],
    ["10 KB that claim 1 GiB", tenKilobytes, 2 ** 30, "DECODE_FAILED", 250],
    ["10 KB that claim more than deflate can", tenKilobytes, 2 ** 24, "DECODE_FAILED", 250],
    ["1 MB that claim 1 GiB and hold it", gigabyte, 2 ** 30, "DECODE_FAILED", 250],
    ["1 MB that claim 16 MiB and hold 1 GiB", gigabyte, 2 ** 24, "DECODE_FAILED", 1_500],
  ])("%s are refused at once", async (name, body, length, code, limitMs) => {
    const frame = frameOf({ length, body });
    const { value, ms, mib } = await measure(() => refusalOf(codec, frame));
    console.log(
      `${deflate.id}: ${name}: ${value.code} in ${ms.toFixed(1)} ms, +${mib.toFixed(1)} MiB`,
    );
    expect(value).toMatchObject({ code });
    expect(ms).toBeLessThan(limitMs);
    expect(mib).toBeLessThan(64);
  });

  test("a lower limit is kept while inflating", async () => {
    const small = compress({ deflate, maxDecodedBytes: 65_536 });
    const body = deflatedZeros(60);
    const { value, ms } = await measure(() => refusalOf(small, frameOf({ length: 65_536, body })));
    expect(value).toMatchObject({ code: "DECODE_FAILED" });
    expect(ms).toBeLessThan(100);
    expect(await refusalOf(small, frameOf({ length: 65_537, body }))).toMatchObject({
      code: "LIMIT_EXCEEDED",
    });
  });

  test("a frame that decodes to exactly the limit is read", () => {
    const codecAtLimit = compress({ deflate, maxDecodedBytes: 2 ** 20 });
    const frame = codecAtLimit.encode(new Uint8Array(2 ** 20), placeOf()) as Uint8Array;
    expect(codecAtLimit.decode(frame, placeOf())).toHaveLength(2 ** 20);
  });
});
