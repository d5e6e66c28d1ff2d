/**
 * Goal: no key, plaintext or ciphertext gets into a log through an error or a printed object. Method:
 * every kind of error there is, and everything that holds a key, printed in every way that people
 * print things; none of it may hold a piece of a secret in any spelling.
 */
import { createSecretKey } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  aesGcm,
  compress,
  generateKey,
  keyRing,
  pipeline,
  secretKey,
  xchacha,
} from "../../codecs/index.ts";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import type { Codec, CodecContext } from "../../src/index.ts";
import { frameOf } from "./compressed-frame.ts";
import {
  bytesOf,
  failureOf,
  firstOf,
  firstKey,
  flipBit,
  placeOf,
  pseudoRandom,
  secondKey,
  setByte,
} from "./fixtures.ts";

const key = pseudoRandom(71, 32);
const ring = keyRing({ primary: key, decryptOnly: [secondKey] });
const secret = "Qx7vK2mZ9pLr4TnB8wYcHs6JdFg3";
const event = bytesOf(JSON.stringify({ type: "user", content: secret }));
const plaintext = bytesOf(secret);
const sealing = [
  pipeline(compress(), aesGcm({ keys: ring })),
  aesGcm({ keys: ring }),
  aesGcm({ keys: ring, backend: "webcrypto" }),
  xchacha({ keys: ring }),
];

/** Every way in which a value gets into a log file. */
function printed(value: unknown): string {
  const error = value as { message?: unknown; stack?: unknown; cause?: unknown };
  const own = typeof value === "object" && value !== null ? value : {};
  const names = Object.getOwnPropertyNames(own);
  return [
    String(value),
    JSON.stringify(value),
    JSON.stringify(names.map((name) => (own as Record<string, unknown>)[name])),
    inspect(value, { depth: 20, showHidden: true, getters: true, maxArrayLength: null }),
    String(error?.message),
    String(error?.stack),
    error?.cause === undefined ? "" : printed(error.cause),
  ].join("\n");
}

/** Pieces of bytes in the spellings that printing gives them; six bytes are no accident. */
function piecesOf(bytes: Uint8Array): string[] {
  const pieces: string[] = [];
  const length = 6;
  for (let start = 0; start + length <= bytes.length; start += 1) {
    const piece = Buffer.from(bytes.subarray(start, start + length));
    pieces.push(piece.toString("hex"), piece.toString("base64"), piece.toString("base64url"));
    pieces.push(piece.toString("latin1"), [...piece].join(","), [...piece].join(", "));
    pieces.push([...piece].map((byte) => byte.toString(16).padStart(2, "0")).join(" "));
  }
  return pieces;
}

function expectClean(value: unknown, ...secrets: readonly Uint8Array[]): void {
  const text = printed(value);
  const found = secrets.flatMap(piecesOf).filter((piece) => text.includes(piece));
  expect(found).toEqual([]);
}

/** What refuses a record, whatever it is. */
const damages: ReadonlyArray<readonly [string, (record: Uint8Array) => Uint8Array]> = [
  ["plain text", () => event],
  ["a compressed frame", () => compress().encode(event, placeOf()) as Uint8Array],
  ["another version", (record) => setByte(record, 1, 9)],
  ["another suite", (record) => setByte(record, 2, 3)],
  ["an unknown key", (record) => setByte(record, 4, record[4]! ^ 1)],
  ["another salt", (record) => setByte(record, 12, record[12]! ^ 1)],
  ["another commitment", (record) => setByte(record, 24, record[24]! ^ 1)],
  ["another ciphertext", (record) => flipBit(record, record.length * 8 - 200)],
  ["another tag", (record) => flipBit(record, record.length * 8 - 1)],
  ["a cut", (record) => record.subarray(0, 80)],
];

describe.each(sealing.map((codec) => [codec.id, codec] as const))("%s", (_id, codec: Codec) => {
  test.each(damages)("the refusal of %s tells nothing", async (_name, damage) => {
    const record = await codec.encode(event, placeOf());
    const bytes = damage(record);
    const error = await failureOf(() => codec.decode(bytes, placeOf()));
    expectClean(error, key, secondKey, plaintext, record.subarray(12), bytes.subarray(12));
  });

  test("the refusal of another place tells nothing", async () => {
    const record = await codec.encode(event, placeOf());
    const places: CodecContext[] = [placeOf({ seq: 2 }), placeOf({ sessionId: "other" })];
    for (const place of places) {
      const error = await failureOf(() => codec.decode(record, place));
      expectClean(error, key, secondKey, plaintext, record.subarray(12));
    }
  });

  test("the codec itself tells nothing", async () => {
    await codec.decode(await codec.encode(event, placeOf()), placeOf());
    expectClean(codec, key, secondKey, plaintext);
  });
});

test("refusals of compress() tell nothing", async () => {
  const frame = compress().encode(event, placeOf()) as Uint8Array;
  const forged = [
    flipBit(frame, 100),
    frame.subarray(0, 20),
    setByte(frame, 0, 7),
    frameOf({ length: 2 ** 28 - 1, body: plaintext }),
    frameOf({ length: event.length, body: plaintext }),
  ];
  for (const bytes of forged) {
    const error = await failureOf(() => compress().decode(bytes, placeOf()));
    expectClean(error, plaintext, frame.subarray(8), bytes.subarray(8));
  }
});

test("what a stranger's stage throws goes no further than its own text", async () => {
  const leaky: Codec = {
    id: "leaky",
    kind: "transform",
    encode: (bytes) => bytes,
    decode: (bytes) => {
      throw new Error(Buffer.from(bytes).toString());
    },
  };
  const checkpointer = memoryCheckpointer<object>({
    codec: pipeline(leaky, aesGcm({ keys: ring })),
  });
  await checkpointer.append("s", [{ type: "user", content: secret }]);
  const error = await failureOf(() => firstOf(checkpointer.read("s")));
  expect(error).toMatchObject({ code: "DECODE_FAILED" });
  expectClean(error, key, plaintext);
});

test("keys and rings tell nothing, in any form that a key is given in", async () => {
  const base64 = Buffer.from(key).toString("base64");
  const web = await crypto.subtle.importKey("raw", key, "HKDF", false, ["deriveBits"]);
  for (const input of [key, base64, createSecretKey(key), web]) {
    const made = await secretKey(input);
    await made.derive(new Uint8Array(0), new Uint8Array(0), 64);
    const source = keyRing({ primary: input });
    await source.current("s", 1);
    for (const value of [made, source, aesGcm({ keys: source })]) expectClean(value, key);
  }
  const generated = generateKey();
  expectClean(keyRing({ primary: generated }), Buffer.from(generated, "base64"));
});

test("errors about keys tell nothing", async () => {
  const nearly = Buffer.from(key.subarray(0, 31));
  const wrong: unknown[] = [nearly, nearly.toString("base64"), nearly.toString("hex"), [...key]];
  for (const input of wrong) {
    const error = await failureOf(() => keyRing({ primary: input as Uint8Array }));
    expectClean(error, key);
  }
  expectClean(await failureOf(() => keyRing({ primary: key, decryptOnly: [key] })), key);
  expectClean(await failureOf(() => ring.find("s", "0011223344556677")), key, secondKey, firstKey);
});
