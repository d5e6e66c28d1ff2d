// Files in the store's directory that are none of ours, or of a newer version: never listed as sessions,
// never changed, refused with a code of their own.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Codec } from "../../src/index.ts";
import { encodeHeader } from "./record-line.ts";
import { readSession, sampleLog, temporaryStore, verifyOne } from "./testing/sample-log.ts";

const healthy = sampleLog("s", [{ ids: ["a"] }, { ids: ["b", "c"] }]);

/** Names and hashes of everything in a directory. */
function fingerprint(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  return names.toSorted().map((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return `${name}/`;
    return `${name} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
  });
}

const newer = Buffer.concat([
  encodeHeader({
    version: 2,
    id: "s",
    generation: "0123456789abcdef0123456789abcdef",
    pipeline: "plain",
    created: "2036-01-31T12:00:00.000Z",
  }),
  Buffer.from('{"what":"we cannot know"}\n'),
]);

describe.each([
  ["a newer version's log", newer],
  ["somebody's JSONL", Buffer.from('{"role":"user"}\n{"role":"assistant"}\n')],
  ["an empty file", Buffer.alloc(0)],
  ["text", Buffer.from("hello")],
  ["zeros", Buffer.alloc(10_000)],
])("%s in the place of a log", (_, bytes) => {
  test("is refused by every other call and left as it is", async () => {
    await using store = temporaryStore();
    store.put("s", bytes);
    store.put("other", sampleLog("other", [{ ids: ["x"] }]).bytes);
    const checkpointer = store.open({ lockLingerMs: 0 });
    const before = fingerprint(store.dir);
    const refused = { code: "UNSUPPORTED_FORMAT" };
    await expect(checkpointer.head("s")).rejects.toMatchObject(refused);
    expect(await readSession(checkpointer, "s")).toMatchObject({ ids: [], error: refused.code });
    await expect(checkpointer.append("s", [{ id: "x" }])).rejects.toMatchObject(refused);
    await expect(checkpointer.append("s", [{ id: "x" }], 0)).rejects.toMatchObject(refused);
    await expect(checkpointer.truncate("s", 0)).rejects.toMatchObject(refused);
    await expect(checkpointer.repair("s")).rejects.toMatchObject(refused);
    await expect(checkpointer.fork("other", 1, "s")).rejects.toMatchObject(refused);
    expect(fingerprint(store.dir)).toEqual(before);
  });

  test("is not deleted", async () => {
    await using store = temporaryStore();
    store.put("s", bytes);
    const before = fingerprint(store.dir);
    const checkpointer = store.open({ lockLingerMs: 0 });
    const refused = { code: "UNSUPPORTED_FORMAT" };
    await expect(checkpointer.delete("s")).rejects.toMatchObject(refused);
    expect(fingerprint(store.dir)).toEqual(before);
  });

  test("is not listed and hides nothing", async () => {
    await using store = temporaryStore();
    store.put("s", bytes);
    store.put("other", sampleLog("other", [{ ids: ["x"] }]).bytes);
    expect((await store.open().list()).map(({ id }) => id)).toEqual(["other"]);
    expect((await store.open().list({ limit: 1 })).map(({ id }) => id)).toEqual(["other"]);
  });
});

test("list() shows no stray, temporary or misnamed file, and delete() leaves them", async () => {
  await using store = temporaryStore();
  store.put("s", healthy.bytes);
  const strays = [
    "notes.txt",
    ".jsonl",
    "A.jsonl",
    "%61.jsonl",
    "%zz.jsonl",
    "s.jsonl.tmp",
    "s.jsonl~",
    "%2e%2e.jsonl.bak",
    "s.lock.jsonl",
    "con.jsonl",
    `${"x".repeat(100)}~${"0".repeat(63)}.jsonl`,
  ];
  for (const name of strays) writeFileSync(join(store.dir, name), healthy.bytes);
  for (const name of ["dir.jsonl", "old.lock", "old.owner"]) mkdirSync(join(store.dir, name));
  const checkpointer = store.open();
  expect((await checkpointer.list()).map(({ id }) => id)).toEqual(["s"]);
  await checkpointer.delete("s");
  await checkpointer.close();
  const left = readdirSync(store.dir);
  expect(left).toEqual(expect.arrayContaining(strays));
  expect(left).not.toContain("s.jsonl");
});

test("a log under the name of another session is damage, not that session", async () => {
  await using store = temporaryStore();
  store.put("other", healthy.bytes);
  const checkpointer = store.open();
  expect(await readSession(checkpointer, "other")).toMatchObject({ ids: [], error: "CORRUPT_LOG" });
  expect(await checkpointer.list()).toMatchObject([{ id: "other", damaged: true }]);
});

test("a damaged session with a name too long for a file name is listed", async () => {
  await using store = temporaryStore();
  const id = "long ".repeat(60);
  const bytes = Buffer.from(sampleLog(id, [{ ids: ["a"] }]).bytes);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 4) ^ 1, bytes.length - 4);
  store.put(id, bytes);
  expect(await store.open().list()).toMatchObject([{ id, damaged: true }]);
});

test("a long-named session whose header is damaged is listed, since its name proves its id", async () => {
  await using store = temporaryStore();
  const id = "long ".repeat(60);
  const bytes = Buffer.from(sampleLog(id, [{ ids: ["a"] }]).bytes);
  const place = bytes.indexOf('"created":"2026');
  bytes.writeUInt8(bytes.readUInt8(place + 14) ^ 1, place + 14);
  store.put(id, bytes);
  const listed = await store.open().list();
  expect(listed).toMatchObject([{ id, damaged: true }]);
});

const codecOf = (key: number): Codec => ({
  id: "checked",
  kind: "transform",
  encode: (bytes) => Uint8Array.from([key, ...bytes.map((byte) => byte ^ key)]),
  decode(bytes) {
    if (bytes[0] !== key) throw new Error("the wrong key, with a secret in the message");
    return bytes.subarray(1).map((byte) => byte ^ key);
  },
});

test.each([
  ["without a codec", undefined, "SEALED_IN_PLAIN_LOG"],
  ["with another key", codecOf(9), "DECODE_FAILED"],
] as const)("a sealed log opened %s is never repaired", async (_, codec, code) => {
  await using store = temporaryStore();
  const sealer = store.open({ codec: codecOf(7) });
  await sealer.append("s", [{ id: "a" }, { id: "b" }]);
  await sealer.append("s", [{ id: "c" }]);
  await sealer.close();
  const before = fingerprint(store.dir);

  const stranger = store.open({ codec, lockLingerMs: 0 });
  expect(await readSession(stranger, "s")).toMatchObject({ ids: [], error: code });
  expect(await readSession(stranger, "s", { reverse: true })).toMatchObject({ error: code });
  expect(await verifyOne(stranger, "s")).toMatchObject({ ok: false, findings: [{ code }] });
  expect(await stranger.repair("s")).toBeNull();
  expect(await stranger.list()).toMatchObject([{ id: "s", head: 3 }]);
  expect(await stranger.head("s")).toBe(3);
  await stranger.close();
  expect(fingerprint(store.dir)).toEqual(before);
  expect(await readSession(store.open({ codec: codecOf(7) }), "s")).toMatchObject({
    ids: ["a", "b", "c"],
  });
});

test("a plain log opened with a codec is refused and left as it is", async () => {
  await using store = temporaryStore();
  store.put("s", healthy.bytes);
  const before = fingerprint(store.dir);
  const stranger = store.open({ codec: codecOf(7), lockLingerMs: 0 });
  const code = "PLAINTEXT_IN_SEALED_LOG";
  expect(await readSession(stranger, "s")).toMatchObject({ ids: [], error: code });
  expect(await stranger.repair("s")).toBeNull();
  await stranger.close();
  expect(fingerprint(store.dir)).toEqual(before);
});
