import { hkdfSync } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { CheckpointError, CodecError } from "../src/index.ts";
import type { Codec, CodecErrorCode, ErrorCode } from "../src/index.ts";
import {
  bytesOf,
  failureOf,
  firstKey,
  firstRing,
  placeOf,
  refusalOf,
  secondKey,
  toHex,
} from "../test/codecs/fixtures.ts";
import { aesGcm, compress, keyRing, pipeline, secretKey, xchacha } from "./index.ts";
import type { KeySource, SealOptions, SecretKey } from "./index.ts";

const keys = firstRing;
const text = '{"type":"user","content":"hello"}';
const event = bytesOf(text);

async function open(codec: Codec, sealed: Uint8Array, place = placeOf()): Promise<string> {
  return Buffer.from(await codec.decode(sealed, place)).toString();
}

describe.each([
  ["aesGcm", aesGcm, 84],
  ["xchacha", xchacha, 96],
] as const)("%s()", (_name, create, overhead) => {
  test("seals one event in different bytes each time, and opens each", async () => {
    const codec = create({ keys });
    const sealed: Uint8Array[] = [];
    for (let time = 0; time < 3; time += 1) sealed.push(await codec.encode(event, placeOf()));
    expect(new Set(sealed.map(toHex)).size).toBe(3);
    for (const record of sealed) {
      expect(record).toHaveLength(event.length + overhead);
      expect(await open(codec, record)).toBe(text);
    }
  });

  test("opens what another instance sealed under the same key", async () => {
    const sealed = await create({ keys }).encode(event, placeOf());
    const other = create({ keys: keyRing({ primary: secondKey, decryptOnly: [firstKey] }) });
    expect(await open(other, sealed)).toBe(text);
  });

  test("opens a record at its own place only", async () => {
    const codec = create({ keys });
    const previous = await codec.encode(event, placeOf());
    const place = placeOf({ seq: 2, previous });
    const sealed = await codec.encode(event, place);
    expect(await open(codec, sealed, place)).toBe(text);
    const session = await refusalOf(codec, sealed, { ...place, sessionId: "Session" });
    expect(session).toMatchObject({ code: "WRONG_KEY" });
    const other = await codec.encode(event, placeOf());
    const wrong = [
      { ...place, seq: 1 },
      { ...place, seq: 3 },
      { ...place, seq: 2 + 2 ** 32 },
      { ...place, ts: "2026-01-31T12:00:00.001Z" },
      // The same bytes as the right one, if a character were one byte.
      { ...place, ts: "\u0132026-01-31T12:00:00.000Z" },
      { ...place, previous: null },
      { ...place, previous: other },
    ];
    for (const elsewhere of wrong) {
      expect(await refusalOf(codec, sealed, elsewhere)).toMatchObject({ code: "AUTH_FAILED" });
    }
  });

  test("separates namespaces and pipelines by their keys", async () => {
    const sealed = await create({ keys, namespace: "a" }).encode(event, placeOf());
    for (const reader of [
      create({ keys }),
      create({ keys, namespace: "b" }),
      pipeline(compress(), create({ keys, namespace: "a" })),
    ]) {
      expect(await refusalOf(reader, sealed)).toMatchObject({ code: "WRONG_KEY" });
    }
    expect(await open(create({ keys, namespace: "a" }), sealed)).toContain("hello");
  });

  test("without a chain, binds no record to the one before it and reads no chained one", async () => {
    const unchained = create({ keys, chain: false });
    const chained = create({ keys });
    const previous = await chained.encode(event, placeOf());
    const place = placeOf({ seq: 2, previous });
    const free = await unchained.encode(event, place);
    expect(await open(unchained, free, { ...place, previous: null })).toContain("hello");
    for (const [reader, record] of [
      [chained, free],
      [unchained, await chained.encode(event, place)],
    ] as const) {
      expect(await refusalOf(reader, record, place)).toMatchObject({ code: "UNSUPPORTED_FORMAT" });
    }
  });

  test("pads behind compress() and nowhere else, and reads either", async () => {
    const flags = async (codec: Codec): Promise<number> =>
      (await codec.encode(event, placeOf()))[3]!;
    expect(await flags(create({ keys }))).toBe(1);
    expect(await flags(pipeline(create({ keys })))).toBe(1);
    expect(await flags(create({ keys, pad: "padme" }))).toBe(3);
    expect(await flags(pipeline(compress(), create({ keys })))).toBe(3);
    expect(await flags(pipeline(compress(), create({ keys, pad: "none" })))).toBe(1);
    const padded = await create({ keys, pad: "padme" }).encode(event, placeOf());
    expect(await open(create({ keys }), padded)).toContain("hello");
  });

  test("tells records of the key in use from those of other keys", async () => {
    const before = await create({ keys }).encode(event, placeOf());
    const rotated = keyRing({ primary: secondKey, decryptOnly: [firstKey] });
    const after = await create({ keys: rotated }).encode(event, placeOf());
    for (const codec of [create({ keys: rotated }), pipeline(create({ keys: rotated }))]) {
      expect(await codec.isCurrent?.(after, "session")).toBe(true);
      expect(await codec.isCurrent?.(before, "session")).toBe(false);
      expect(await codec.isCurrent?.(event, "session")).toBe(false);
    }
    expect(await pipeline(compress()).isCurrent?.(event, "session")).toBe(false);
  });

  test("refuses bad options", () => {
    for (const bad of [
      {},
      { keys: null },
      { keys: { current: () => firstKey } },
      { keys, pad: "zeros" },
      { keys, chain: 1 },
      { keys, namespace: 5 },
      { keys, namespace: "\ud800" },
    ]) {
      expect(() => create(bad as unknown as SealOptions)).toThrow(TypeError);
    }
  });
});

describe("keys are asked for", () => {
  test("with the session and the seq of each record", async () => {
    const current = vi.fn(firstRing.current.bind(firstRing));
    const find = vi.fn(firstRing.find.bind(firstRing));
    const codec = aesGcm({ keys: { current, find } });
    const sealed = await codec.encode(event, placeOf({ sessionId: "s", seq: 5 }));
    await codec.decode(sealed, placeOf({ sessionId: "s", seq: 5 }));
    expect(current.mock.calls).toEqual([["s", 5]]);
    expect(find.mock.calls).toEqual([["s", (await secretKey(firstKey)).id]]);
  });

  test("again for every record, so that a disabled key opens nothing more", async () => {
    let disabled = false;
    const ring = keyRing({ primary: secondKey, disabled: [firstKey] });
    const find: KeySource["find"] = (...which) => (disabled ? ring : firstRing).find(...which);
    const codec = aesGcm({ keys: { ...firstRing, find } });
    const sealed = await codec.encode(event, placeOf());
    expect(await open(codec, sealed)).toContain("hello");
    disabled = true;
    expect(await refusalOf(codec, sealed)).toMatchObject({ code: "KEY_DISABLED" });
  });

  test("and a failure of the source gets a place and tells nothing of its own", async () => {
    const boom = (): never => {
      throw new Error("password=hunter2");
    };
    for (const keys of [
      { current: boom, find: boom },
      { current: async () => boom(), find: async () => boom() },
    ]) {
      const codec = aesGcm({ keys });
      const sealed = await aesGcm({ keys: firstRing }).encode(event, placeOf());
      const place = { stage: "aes-gcm", seq: 4 };
      for (const [work, expected] of [
        [() => codec.encode(event, placeOf({ seq: 4 })), place],
        [() => codec.decode(sealed, placeOf({ seq: 4 })), place],
        [() => codec.isCurrent?.(sealed, "session"), {}],
      ] as const) {
        const error = await failureOf(work);
        expect(error).toMatchObject({ code: "KEY_UNAVAILABLE", ...expected });
        expect(JSON.stringify([String(error), (error as Error).stack])).not.toContain("hunter2");
        expect((error as Error).cause).toBeUndefined();
      }
    }
  });
});

describe("an error of the kit that a key source throws", () => {
  test.each<[ErrorCode, CodecErrorCode]>([
    ["KEY_UNKNOWN", "KEY_UNKNOWN"],
    ["KEY_DISABLED", "KEY_DISABLED"],
    ["KEY_SHREDDED", "KEY_SHREDDED"],
    ["WRONG_KEY", "WRONG_KEY"],
    ["UNSUPPORTED_FORMAT", "UNSUPPORTED_FORMAT"],
    ["RNG_FAULT", "RNG_FAULT"],
    ["AUTH_FAILED", "WRONG_KEY"],
    ["CORRUPT_LOG", "UNSUPPORTED_FORMAT"],
    ["IO_FAILED", "KEY_UNAVAILABLE"],
    ["CLOSED", "KEY_UNAVAILABLE"],
    ["BUSY", "KEY_UNAVAILABLE"],
    ["PLAINTEXT_IN_SEALED_LOG", "KEY_UNAVAILABLE"],
    ["LOG_CHANGED", "KEY_UNAVAILABLE"],
  ])("%s arrives as the codec error %s", async (thrown, code) => {
    const fail = (): never => {
      throw new CheckpointError(thrown, "the vault says so");
    };
    const sealed = await aesGcm({ keys }).encode(event, placeOf());
    const codec = aesGcm({ keys: { current: fail, find: fail } });
    for (const work of [
      () => codec.encode(event, placeOf({ seq: 4 })),
      () => codec.decode(sealed, placeOf({ seq: 4 })),
    ]) {
      const error = await failureOf(work);
      expect(error).toBeInstanceOf(CodecError);
      expect(error).toMatchObject({ code, stage: "aes-gcm", sessionId: "session", seq: 4 });
      expect((error as Error).message).toContain("the vault says so");
      expect((error as CodecError).retryable).toBe(code === "KEY_UNAVAILABLE");
    }
  });

  test("and one that cannot even be looked at is KEY_UNAVAILABLE", async () => {
    const trap = new Proxy(new Error("x"), {
      has: () => {
        throw new Error("password=hunter2");
      },
    });
    const fail = (): never => {
      throw trap;
    };
    const codec = aesGcm({ keys: { current: fail, find: fail } });
    const error = await failureOf(() => codec.encode(event, placeOf()));
    expect(error).toMatchObject({ name: "CodecError", code: "KEY_UNAVAILABLE" });
  });
});

describe("a key of somebody else's that derives", () => {
  /** What a key in a hardware module looks like from here. */
  const remote = (derive: SecretKey["derive"]): KeySource => {
    const key: SecretKey = { id: "0011223344556677", derive };
    return { current: () => key, find: () => key };
  };
  const hkdf = (salt: Uint8Array, info: Uint8Array, length: number): ArrayBuffer =>
    hkdfSync("sha256", firstKey, salt, info, length);

  test.each<[string, SecretKey["derive"]]>([
    ["a Buffer", (...input) => Buffer.from(hkdf(...input))],
    ["a promise of a Buffer", async (...input) => Buffer.from(hkdf(...input))],
  ])("%s seals under what it derived", async (_name, derive) => {
    const plain = remote((...input) => new Uint8Array(hkdf(...input)));
    for (const create of [aesGcm, xchacha]) {
      const sealed = await create({ keys: remote(derive) }).encode(event, placeOf());
      expect(toHex(sealed.subarray(24, 56))).not.toBe("00".repeat(32));
      expect(await open(create({ keys: plain }), sealed)).toContain("hello");
    }
  });
});
