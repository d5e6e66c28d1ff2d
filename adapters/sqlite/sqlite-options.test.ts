import path from "node:path";
import { expect, test } from "vitest";
import { resolveOptions, type SqliteStoreOptions } from "./sqlite-options.ts";

test("resolveOptions() fills in the defaults and makes the path absolute", () => {
  expect(resolveOptions({ file: "x.db" })).toEqual({
    file: path.resolve("x.db"),
    inMemory: false,
    synchronous: "normal",
    busyTimeoutMs: 5_000,
    integrityCheckOnOpen: false,
  });
  expect(resolveOptions({ file: ":memory:" })).toMatchObject({ file: ":memory:", inMemory: true });
});

test.each<[string, unknown, ErrorConstructor]>([
  ["no file", {}, TypeError],
  ["an empty file", { file: "" }, RangeError],
  ["a file with U+0000", { file: "a\0b" }, RangeError],
  ["an unknown synchronous mode", { file: "x", synchronous: "off" }, TypeError],
  ["a timeout that is no number", { file: "x", busyTimeoutMs: "1" }, TypeError],
  ["a negative timeout", { file: "x", busyTimeoutMs: -1 }, RangeError],
  ["a timeout that is not finite", { file: "x", busyTimeoutMs: Infinity }, RangeError],
  ["a check that is no boolean", { file: "x", integrityCheckOnOpen: 1 }, TypeError],
])("resolveOptions() refuses %s", (_name, options, kind) => {
  expect(() => resolveOptions(options as SqliteStoreOptions)).toThrow(kind);
});
