/**
 * Goal: the text form of a sealed record has one spelling. Method: lines that a lenient JSON or
 * base64 reader would take for the same record, or for two at once, each with a right checksum.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileCheckpointer } from "../../adapters/file/index.ts";
import { aesGcm } from "../../codecs/index.ts";
import { isCheckpointError } from "../../src/index.ts";
import { firstRing } from "./fixtures.ts";
import { fingerprintOf, linesOf, type Handle } from "./tampered-store.ts";

const codec = aesGcm({ keys: firstRing });
// Long enough for every letter of base64, and of a length that leaves unused bits at its end.
const content = "x".repeat(600);
let dir = "";
let handle: Handle;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "checkpointer-lines-"));
  handle = fileCheckpointer({ dir, codec, durability: "process", lockLingerMs: 0 });
  for (let n = 1; n <= 3; n += 1) {
    await handle.append("s", [{ n, content }], { idempotencyKey: `key ${n}` });
  }
});

afterEach(async () => {
  await handle.close();
  rmSync(dir, { recursive: true });
});

/** Rewrites the line of seq 2, less its checksum, and gives it a right one. */
function rewrite(change: (text: string) => string): boolean {
  const path = join(dir, "s.jsonl");
  const lines = linesOf(readFileSync(path));
  const before = lines[2]!.toString();
  const text = change(before.slice(0, before.lastIndexOf(',"crc"')));
  const checksum = crc32(text).toString(16).padStart(8, "0");
  const after = `${text},"crc":"${checksum}"}\n`;
  lines[2] = Buffer.from(after);
  writeFileSync(path, Buffer.concat(lines));
  return after !== before;
}

async function read(): Promise<{ events: unknown[]; code: string | null; seq: number | null }> {
  const events: unknown[] = [];
  try {
    for await (const { event } of handle.read("s")) events.push((event as { n: number }).n);
  } catch (error) {
    if (!isCheckpointError(error)) throw error;
    return { events, code: error.code, seq: (error as { seq?: number }).seq ?? null };
  }
  return { events, code: null, seq: null };
}

/** Changes the base64 of the record. */
function base64(change: (text: string) => string): (line: string) => string {
  return (line) => line.replace(/(?<="sealed":")[^"]*/, change);
}

function nextLetter(letter: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return letters[(letters.indexOf(letter) + 1) % 64]!;
}

test("an untouched line with its checksum written anew is read", async () => {
  expect(rewrite((line) => line)).toBe(false);
  expect(await read()).toEqual({ events: [1, 2, 3], code: null, seq: null });
});

describe.each<[string, (line: string) => string]>([
  ["padding behind the base64", base64((text) => `${text}=`)],
  ["two pads behind the base64", base64((text) => `${text}==`)],
  ["a line break in the base64", base64((text) => `${text.slice(0, 40)}\\n${text.slice(40)}`)],
  ["a space in the base64", base64((text) => `${text.slice(0, 40)} ${text.slice(40)}`)],
  ["a stranger in the base64", base64((text) => `${text}!`)],
  ["an escaped letter in the base64", base64((text) => `\\u00${hexOf(text[0]!)}${text.slice(1)}`)],
  ["the alphabet of plain base64", base64((text) => text.replace(/[-_]/, replaced))],
  ["other unused bits at the end", base64((text) => text.slice(0, -1) + nextLetter(text.at(-1)!))],
  ["no base64 at all", base64(() => "")],
  ["the record twice", (line) => line.replace(/"sealed":"[^"]*"/, "$&,$&")],
  ["a plain event before the record", (line) => line.replace('"sealed"', '"event":{},"sealed"')],
  ["a plain event behind the record", (line) => `${line},"event":{"n":9}`],
  ["a plain event in its place", (line) => line.replace(/"sealed":"[^"]*"/, '"event":{"n":9}')],
  ["another seq behind the seq", (line) => line.replace('"seq":2', '"seq":2,"seq":3')],
  ["another seq in its place", (line) => line.replace('"seq":2', '"seq":3')],
  ["a seq of zero", (line) => line.replace('"seq":2', '"seq":0')],
  ["a seq with a fraction", (line) => line.replace('"seq":2', '"seq":2.0')],
  ["another time behind the time", (line) => line.replace(/"ts":"[^"]*"/, "$&,$&")],
  ["a time without milliseconds", (line) => line.replace(/\.\d{3}Z/, "Z")],
  ["a checksum behind another", (line) => `${line},"crc":"00000000"`],
  ["a prototype", (line) => line.replace('"sealed"', '"__proto__":{"n":9},"sealed"')],
  ["a space between members", (line) => line.replace(',"sealed"', ', "sealed"')],
  ["another order of members", (line) => line.replace(/("left":\d+),(.*)/, "$2,$1")],
  ["a key that is no JSON", (line) => line.replace('"key 2"', '"key \\q"')],
  ["a key with a control character", (line) => line.replace('"key 2"', '"key \t"')],
  ["a key with an escaped letter", (line) => line.replace('"key 2"', '"\\u006bey 2"')],
  ["a key that does not end", (line) => line.replace('"key 2"', '"key 2')],
  ["another key behind the key", (line) => line.replace('"key":"key 2"', "$&,$&")],
  ["a carriage return at the end", (line) => `${line}\r`],
  ["a byte order mark at the front", (line) => `\ufeff${line}`],
  ["a second record in the line", (line) => `${line}} ${line}`],
])("a line with %s", (_name, change) => {
  test("is refused after everything before it, and nothing is changed", async () => {
    expect(rewrite(change)).toBe(true);
    const before = fingerprintOf(dir);
    const { events, code, seq } = await read();
    expect(events).toEqual([1]);
    expect(["CORRUPT_LOG", "PLAINTEXT_IN_SEALED_LOG"]).toContain(code);
    expect(seq).toBe(2);
    expect(fingerprintOf(dir)).toBe(before);
  });
});

function hexOf(letter: string): string {
  return letter.charCodeAt(0).toString(16);
}

function replaced(letter: string): string {
  return letter === "-" ? "+" : "/";
}
