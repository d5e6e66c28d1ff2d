import { isAbsolute, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { fileCheckpointer } from "./file-checkpointer.ts";
import { nodeFilePort } from "./file-port.ts";
import { resolveFileOptions, type FileStoreOptions } from "./resolve-options.ts";

test("resolveFileOptions() fills in the documented defaults", () => {
  expect(resolveFileOptions({ dir: "somewhere" })).toMatchObject({
    dir: resolve("somewhere"),
    durability: "power",
    lockStaleMs: 3_000,
    lockLingerMs: 50,
    busyTimeoutMs: 10_000,
    pipeline: "plain",
    port: nodeFilePort,
  });
  expect(isAbsolute(resolveFileOptions({ dir: "." }).dir)).toBe(true);
  expect(Object.isFrozen(resolveFileOptions({ dir: "." }))).toBe(true);
});

test("resolveFileOptions() takes undefined for a default", () => {
  const given = { dir: ".", durability: undefined, lockStaleMs: undefined, port: undefined };
  const { durability, lockStaleMs } = resolveFileOptions(given);
  expect({ durability, lockStaleMs }).toEqual({ durability: "power", lockStaleMs: 3_000 });
});

const day = 24 * 60 * 60 * 1_000;

describe.each([
  ["lockStaleMs", 2_000],
  ["lockLingerMs", 0],
  ["busyTimeoutMs", 0],
] as const)("%s", (name, least) => {
  test.each([least, least + 1, 5_000, day])("may be %d", (value) => {
    expect(resolveFileOptions({ dir: ".", [name]: value })[name]).toBe(value);
  });

  test.each([least - 1, -1, NaN, Infinity, -Infinity, day + 1])("may not be %d", (value) => {
    expect(() => resolveFileOptions({ dir: ".", [name]: value })).toThrow(RangeError);
  });

  test.each([null, "3000", 5n, {}])("may not be of another type: %o", (value) => {
    const options = { dir: ".", [name]: value } as unknown as FileStoreOptions;
    expect(() => resolveFileOptions(options)).toThrow(RangeError);
  });
});

test.each([undefined, null, "", 1, "a\0b", ["a"]])("dir may not be %o", (dir) => {
  const options = { dir } as unknown as FileStoreOptions;
  expect(() => resolveFileOptions(options)).toThrow(TypeError);
  expect(() => fileCheckpointer(options)).toThrow(TypeError);
});

test.each(["full", "none", null, 1, ""])("durability may not be %o", (durability) => {
  const options = { dir: ".", durability } as unknown as FileStoreOptions;
  expect(() => resolveFileOptions(options)).toThrow(TypeError);
});
