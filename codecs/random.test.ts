import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toHex } from "../test/codecs/fixtures.ts";
import { createRandomSource } from "./random.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** A source over a counter, and how often it was asked to fill. */
function counted(): { source: ReturnType<typeof createRandomSource>; fills: () => number } {
  let fills = 0;
  let next = 0;
  const source = createRandomSource((pool) => {
    fills += 1;
    const view = new DataView(pool.buffer);
    for (let offset = 0; offset < pool.length; offset += 4) view.setUint32(offset, (next += 1));
  });
  return { source, fills: () => fills };
}

test("bytes() never hands out the same bytes of a pool twice", () => {
  const { source, fills } = counted();
  const seen = new Set<string>();
  for (let draw = 0; draw < 3_000; draw += 1) seen.add(toHex(source.bytes(12)));
  expect(seen.size).toBe(3_000);
  expect(fills()).toBe(Math.ceil(3_000 / Math.floor(4_096 / 12)));
});

test("bytes() hands out bytes that nobody else holds", () => {
  const { source } = counted();
  const first = source.bytes(12);
  const before = toHex(first);
  source.bytes(12).fill(0xff);
  expect(toHex(first)).toBe(before);
  expect(first.buffer.byteLength).toBe(12);
});

test("bytes() leaves nothing of what it handed out in its pool", () => {
  let pool = new Uint8Array(0);
  const source = createRandomSource((filled) => {
    pool = filled.fill(0xaa);
  });
  source.bytes(12);
  source.bytes(24);
  expect(pool.findIndex((byte) => byte !== 0)).toBe(36);
});

test("refresh() and a second without use throw the pool away", () => {
  const { source, fills } = counted();
  source.bytes(12);
  source.bytes(12);
  expect(fills()).toBe(1);
  source.refresh();
  source.bytes(12);
  expect(fills()).toBe(2);
  vi.advanceTimersByTime(1_000);
  source.bytes(12);
  expect(fills()).toBe(2);
  vi.advanceTimersByTime(1_001);
  source.bytes(12);
  expect(fills()).toBe(3);
});

test("the platform's source fills the whole pool", () => {
  const source = createRandomSource();
  const zeros = Array.from({ length: 1_000 }, () => source.bytes(64)).filter((bytes) =>
    bytes.every((byte) => byte === 0),
  );
  expect(zeros).toEqual([]);
});
