import fs from "node:fs";
import { afterEach, expect, onTestFinished, test } from "vitest";
import type { Codec } from "../../src/index.ts";
import { sqliteCheckpointer, type SqliteCheckpointerOptions } from "./index.ts";
import type { SqliteCheckpointer } from "./index.ts";
import { cleanUp, openDatabase, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

interface Event {
  readonly type: string;
  readonly content?: string;
}

function open(options: SqliteCheckpointerOptions): SqliteCheckpointer<Event> {
  const checkpointer = sqliteCheckpointer<Event>(options);
  onTestFinished(() => checkpointer.close());
  return checkpointer;
}

test("people can query plain events with SQLite's JSON operators", async () => {
  const file = temporaryFile();
  const checkpointer = open({ file });
  await checkpointer.append("a", [{ type: "user", content: "\0" }, { type: "assistant" }]);
  const database = openDatabase(file);
  const types = database.prepare("SELECT payload ->> 'type' FROM records ORDER BY seq").pluck();
  expect(types.all()).toEqual(["user", "assistant"]);
  const events = database.prepare(
    "SELECT seq, ts, payload ->> 'type' FROM events WHERE session = ?",
  );
  const rows: unknown[] = [];
  for await (const { seq, ts, event } of checkpointer.read("a")) rows.push([seq, ts, event.type]);
  expect(events.raw().all("a")).toEqual(rows);
});

test("sealed records are stored as bytes", async () => {
  const flip = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0xff);
  const codec: Codec = { id: "flip", kind: "transform", encode: flip, decode: flip };
  const file = temporaryFile();
  const checkpointer = open({ file, codec });
  await checkpointer.append("a", [{ type: "user" }, { type: "user" }]);
  const types = openDatabase(file).prepare("SELECT typeof(payload) FROM records").pluck();
  expect(types.all()).toEqual(["blob", "blob"]);
  for await (const { event } of checkpointer.read("a")) expect(event).toEqual({ type: "user" });
});

test.each([
  [{ file: "x.db" }, "host", "process"],
  [{ file: "x.db", synchronous: "full" }, "host", "power"],
  [{ file: ":memory:", synchronous: "full" }, "instance", "none"],
] as const)("capabilities of %j", (options, concurrency, durability) => {
  const { capabilities } = open(options);
  expect(capabilities).toMatchObject({ concurrency, durability, tail: "push" });
  expect(fs.existsSync("x.db")).toBe(false);
});

test("the factory refuses unusable options at once", () => {
  expect(() => sqliteCheckpointer({ file: "" })).toThrow(RangeError);
});

test("fork copies a long session through staging, and verify finds both whole", async () => {
  const checkpointer = open({ file: temporaryFile() });
  const events = Array.from({ length: 700 }, (_, index) => ({ type: "user", content: `${index}` }));
  await checkpointer.append("a", events);
  expect(await checkpointer.fork("a", 600, "b")).toBe(600);
  for await (const report of checkpointer.verify()) expect(report.ok).toBe(true);
  expect((await checkpointer.list()).map(({ id, head }) => [id, head])).toEqual([
    ["b", 600],
    ["a", 700],
  ]);
});

test("a follower of one handle sees what another appends", async () => {
  const file = temporaryFile();
  const [writer, follower] = [open({ file }), open({ file })];
  await writer.append("a", [{ type: "first" }]);
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const { event } of follower.tail("a", { signal: stop.signal })) {
    seen.push(event.type);
    if (event.type === "last") break;
    await writer.append("a", [{ type: "last" }]);
  }
  expect(seen).toEqual(["first", "last"]);
});

test("close() is idempotent and the operations are CLOSED afterwards", async () => {
  const checkpointer = open({ file: temporaryFile() });
  await checkpointer.append("a", [{ type: "user" }]);
  await checkpointer.close();
  await checkpointer.close();
  const closed = { code: "CLOSED" };
  await expect(checkpointer.append("a", [{ type: "user" }])).rejects.toMatchObject(closed);
  await expect(checkpointer.backup("copy.db")).rejects.toMatchObject(closed);
});
