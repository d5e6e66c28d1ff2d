/**
 * Goal: no nonce repeats, a salt serves a bounded number of records, and a random source that is
 * broken is noticed. Method: a million seals and a bit, through the codec, and sources that repeat.
 */
import { describe, expect, test, vi } from "vitest";
import {
  bytesOf,
  failureOf,
  firstKey,
  firstRing,
  placeOf,
  secondKey,
  toHex,
} from "../test/codecs/fixtures.ts";
import { epochMaxRecords } from "./epochs.ts";
import { aesGcm, keyRing, xchacha, type RandomSource } from "./index.ts";
import { createRandomSource } from "./random.ts";

const event = bytesOf("{}");
const keys = firstRing;

function saltOf(record: Uint8Array): string {
  return toHex(record.subarray(12, 24));
}

/** A source that hands out the numbers from 1 to `period`, over and over. */
function cycling(period: number): RandomSource {
  let next = 0;
  return {
    bytes(length) {
      const bytes = new Uint8Array(length);
      new DataView(bytes.buffer).setUint32(length - 4, (next % period) + 1);
      next += 1;
      return bytes;
    },
    refresh: () => undefined,
  };
}

test("a million seals have a million nonces, and a salt serves 2^20 records at most", () => {
  expect(epochMaxRecords).toBe(2 ** 20);
  const codec = aesGcm({ keys, backend: "node" });
  const place = placeOf();
  const nonces = new Set<string>();
  const salts = new Map<string, number>();
  const total = epochMaxRecords + 1_000;
  const begin = performance.now();
  for (let count = 0; count < total; count += 1) {
    const record = codec.encode(event, place) as Uint8Array;
    nonces.add(String.fromCharCode(...record.subarray(56, 68)));
    const salt = saltOf(record);
    salts.set(salt, (salts.get(salt) ?? 0) + 1);
  }
  const seconds = (performance.now() - begin) / 1_000;
  console.log(
    `${total} seals in ${seconds.toFixed(1)} s: ${nonces.size} nonces, ${salts.size} salts`,
  );
  expect(nonces.size).toBe(total);
  expect([...salts.values()]).toEqual([epochMaxRecords, 1_000]);
}, 300_000);

describe.each([
  ["aesGcm", aesGcm],
  ["xchacha", xchacha],
] as const)("%s()", (_name, create) => {
  test("has a salt per session and instance, and fresh randomness with each", async () => {
    const fill = vi.fn((pool: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(pool));
    const codec = create({ keys, random: createRandomSource(fill) });
    const seal = (sessionId: string): Promise<string> =>
      Promise.resolve(codec.encode(event, placeOf({ sessionId }))).then(saltOf);
    const first = await seal("a");
    expect(await seal("a")).toBe(first);
    expect(fill).toHaveBeenCalledTimes(1);
    const second = await seal("b");
    expect(second).not.toBe(first);
    expect(await seal("a")).toBe(first);
    expect(fill).toHaveBeenCalledTimes(2);
    expect(saltOf(await create({ keys }).encode(event, placeOf()))).not.toBe(first);
  });

  test("begins another salt when the primary key changes", async () => {
    let ring = firstRing;
    const source = { current: () => ring.current("", 1), find: firstRing.find.bind(firstRing) };
    const codec = create({ keys: source });
    const before = await codec.encode(event, placeOf());
    ring = keyRing({ primary: secondKey, decryptOnly: [firstKey] });
    const after = await codec.encode(event, placeOf());
    expect(saltOf(after)).not.toBe(saltOf(before));
    expect(toHex(after.subarray(4, 12))).not.toBe(toHex(before.subarray(4, 12)));
  });

  test("keeps a bounded number of sessions ready and goes on with any", async () => {
    const codec = create({ keys });
    const first = await codec.encode(event, placeOf({ sessionId: "0" }));
    for (let session = 1; session <= 300; session += 1) {
      await codec.encode(event, placeOf({ sessionId: String(session) }));
    }
    const again = await codec.encode(event, placeOf({ sessionId: "0" }));
    expect(saltOf(again)).not.toBe(saltOf(first));
    for (const record of [first, again]) {
      expect(await codec.decode(record, placeOf({ sessionId: "0" }))).toHaveLength(event.length);
    }
  });

  test("refuses the second record of a constant random source", async () => {
    const random = { bytes: (length: number) => new Uint8Array(length), refresh: () => undefined };
    const codec = create({ keys, random });
    await codec.encode(event, placeOf());
    for (const sessionId of ["session", "other"]) {
      const error = await failureOf(() => codec.encode(event, placeOf({ sessionId, seq: 2 })));
      expect(error).toMatchObject({ code: "RNG_FAULT", seq: 2, retryable: false });
    }
  });

  test("refuses a random source that begins over after a thousand nonces", async () => {
    const codec = create({ keys, random: cycling(1_000) });
    let sealed = 0;
    const error = await failureOf(async () => {
      for (; sealed < 5_000; sealed += 1) await codec.encode(event, placeOf());
    });
    expect(error).toMatchObject({ code: "RNG_FAULT" });
    // The salt was one of the thousand.
    expect(sealed).toBe(1_000);
  });
});
