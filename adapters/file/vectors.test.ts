// Bytes that version 1 wrote once. They are never changed: a log of today has to be readable for ever. A
// later version gets files of its own beside these.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Codec, EventObject } from "../../src/index.ts";
import { fileCheckpointer } from "./file-checkpointer.ts";
import { decodeHeader, decodeRecord, encodeHeader, encodeRecord, newline } from "./record-line.ts";
import { encodeName } from "./session-files.ts";
import { readSession, temporaryStore } from "./testing/sample-log.ts";

/** The codec that sealed the second vector: every byte with its seq added, modulo 256. */
const shift: Codec = {
  id: "shift",
  kind: "transform",
  encode: (bytes, { seq }) => bytes.map((byte) => byte + seq),
  decode: (bytes, { seq }) => bytes.map((byte) => byte - seq),
};

const vectors = [
  {
    file: "version-1-plain.jsonl",
    id: "Ünïcode/../CON .é\u0301\u2028😀%",
    name: "%c3%9cn%c3%afcode%2f%2e%2e%2f%43%4f%4e%20%2e%c3%a9%cc%81%e2%80%a8%f0%9f%98%80%25",
    codec: undefined,
    events: [
      { type: "user", content: "hello", origin: "input" },
      { type: "assistant", content: "line one\nline two\u2028\u2029\u0000 \ud800 \u007f" },
      {
        type: "tool_started",
        callId: "c1",
        name: "sh",
        input: { args: ["-c", "true"], n: -1.5e-7 },
      },
      { type: "tool_result", callId: "c1", output: { deep: [[[{ " ": null }]]] }, isError: false },
      { type: "user", content: "", big: 9007199254740991, "2": "b", "1": "a" },
    ],
    keys: ['first "key" \\ \u2028', undefined, undefined, undefined, "k".repeat(256)],
    left: [0, 2, 1, 0, 0],
    seconds: [0, 1, 1, 1, 4],
  },
  {
    file: "version-1-sealed.jsonl",
    id: "x".repeat(300),
    name: `${"x".repeat(100)}~0d4e2ca9e9cbced7a7a5380eb29e1a3783b9b6d0db72de36a1051038e1c1fbc7`,
    codec: shift,
    events: [
      { type: "user", content: "sealed" },
      { type: "assistant", content: "" },
    ],
    keys: [undefined, "batch"],
    left: [0, 0],
    seconds: [0, 1],
  },
] as const;

function bytesOf(file: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`vectors/${file}`, import.meta.url)));
}

describe.each(vectors)("$file", ({ file, id, name, codec, events, keys, left, seconds }) => {
  test("lies under this name", () => {
    expect(encodeName(id)).toBe(name);
  });

  test("is read", async () => {
    await using store = temporaryStore();
    const path = store.put(id, bytesOf(file));
    const checkpointer = fileCheckpointer<EventObject>({ dir: store.dir, codec });
    const stored = [];
    for await (const event of checkpointer.read(id)) stored.push(event);
    expect(stored.map(({ event }) => event)).toEqual(events);
    // Key order is part of an event.
    const texts = stored.map(({ event }) => JSON.stringify(event));
    expect(texts).toEqual(events.map((event) => JSON.stringify(event)));
    expect(stored.map(({ ts }) => ts)).toEqual(
      seconds.map((second) => `2026-01-31T12:00:0${second}.000Z`),
    );
    expect(await checkpointer.list()).toMatchObject([{ id, head: events.length }]);
    expect(await checkpointer.head(id)).toBe(events.length);
    await checkpointer.close();
    expect(readFileSync(path).equals(bytesOf(file))).toBe(true);
  });

  test("is appended to, and its keys are known", async () => {
    await using store = temporaryStore();
    const path = store.put(id, bytesOf(file));
    const checkpointer = fileCheckpointer<EventObject>({ dir: store.dir, codec });
    for (const [index, idempotencyKey] of keys.entries()) {
      if (idempotencyKey === undefined) continue;
      const again = await checkpointer.append(id, [events[index] ?? {}], { idempotencyKey });
      expect(again).toBe(index + 1);
    }
    expect(await checkpointer.append(id, [{ id: "next" }])).toBe(events.length + 1);
    await checkpointer.close();
    const before = bytesOf(file);
    expect(readFileSync(path).subarray(0, before.length).equals(before)).toBe(true);
    const reading = await readSession(store.open({ codec }), id, { sinceSeq: events.length });
    expect(reading).toMatchObject({ ids: ["next"] });
  });

  test("is what encodeHeader() and encodeRecord() write today", () => {
    const bytes = bytesOf(file);
    const header = decodeHeader(bytes, bytes.indexOf(newline));
    if (header === null) throw new Error("the header is damaged");
    const lines = [encodeHeader(header)];
    const found = [];
    let start = bytes.indexOf(newline) + 1;
    for (let end = bytes.indexOf(newline, start); end !== -1; end = bytes.indexOf(newline, start)) {
      const record = decodeRecord(bytes, start, end);
      if (record === null) throw new Error(`the line at ${start} is damaged`);
      lines.push(encodeRecord(record));
      found.push(record);
      start = end + 1;
    }
    expect(Buffer.concat(lines).equals(bytes)).toBe(true);
    expect(found.map((record) => record.left)).toEqual(left);
    expect(found.map((record) => record.key)).toEqual(keys);
  });
});
