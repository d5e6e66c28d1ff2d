// What is peculiar to files: modes, names on the disk, warnings, and what looking creates.

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fileCheckpointer } from "./file-checkpointer.ts";
import { readSession, sampleLog, temporaryStore } from "./testing/sample-log.ts";

const posix = process.platform !== "win32";
/** What the tests set is set back to what was there before. */
const masks: number[] = [];
afterEach(() => {
  for (const mask of masks.splice(0)) process.umask(mask);
  vi.restoreAllMocks();
});

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe.runIf(posix).each([0o000, 0o022, 0o077])("under umask %o", (mask) => {
  test("files are for their owner alone, whatever wrote them", async () => {
    await using store = temporaryStore();
    masks.push(process.umask(mask));
    const dir = join(store.dir, "new", "store");
    const checkpointer = store.open({ dir, lockLingerMs: 60_000 });
    await checkpointer.append("s", [{ id: "a" }, { id: "b" }]);
    expect(modeOf(dir)).toBe("700");
    const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
    expect(names.length).toBeGreaterThan(2);
    for (const name of names.filter((one) => !one.endsWith(".lock"))) {
      const path = join(dir, name);
      expect(modeOf(path), name).toBe(statSync(path).isDirectory() ? "700" : "600");
    }
    await checkpointer.truncate("s", 1);
    await checkpointer.fork("s", 1, "copy");
    for (const name of ["s.jsonl", "copy.jsonl"]) expect(modeOf(join(dir, name))).toBe("600");
  });
});

test("looking creates nothing", async () => {
  await using store = temporaryStore();
  const dir = join(store.dir, "absent");
  const checkpointer = store.open({ dir });
  expect(await checkpointer.head("s")).toBe(0);
  expect(await checkpointer.list()).toEqual([]);
  expect(await readSession(checkpointer, "s")).toMatchObject({ ids: [], error: null });
  await checkpointer.delete("s");
  await checkpointer.truncate("s", 3);
  expect(await checkpointer.append("s", [])).toBe(0);
  expect(await checkpointer.repair("s")).toBeNull();
  await checkpointer.close();
  expect(existsSync(dir)).toBe(false);
});

test("append() writes lines that any JSON tool reads", async () => {
  await using store = temporaryStore();
  const checkpointer = store.open();
  await checkpointer.append("a/b", [{ id: "x\u2028y" }], { idempotencyKey: "k" });
  await checkpointer.close();
  expect(readdirSync(store.dir)).toEqual(["a%2fb.jsonl"]);
  const text = readFileSync(join(store.dir, "a%2fb.jsonl"), "utf8");
  expect(text.endsWith("\n")).toBe(true);
  const [header, record] = text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(header).toMatchObject({ format: "checkpointer-kit/log", version: 1, id: "a/b" });
  expect(record).toMatchObject({ seq: 1, left: 0, key: "k", event: { id: "x\u2028y" } });
});

test("a torn tail that is cut is a process warning, once", async () => {
  await using store = temporaryStore();
  const { bytes } = sampleLog("s", [{ ids: ["a"] }]);
  store.put("s", Buffer.concat([bytes, Buffer.from('{"seq":2,')]));
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const checkpointer = fileCheckpointer({ dir: store.dir });
  await checkpointer.append("s", [{ type: "user", content: "b" }]);
  await checkpointer.append("s", [{ type: "user", content: "c" }]);
  await checkpointer.close();
  expect(warnings).toHaveBeenCalledTimes(1);
  expect(warnings).toHaveBeenCalledWith(
    `Cut 9 bytes of an unfinished, unacknowledged append at byte ${bytes.length} of session "s"`,
    { type: "CheckpointerWarning", code: "CHECKPOINTER_TORN_TAIL" },
  );
});

test("a relative directory stays where it was when the process moves", async () => {
  await using store = temporaryStore();
  const before = process.cwd();
  try {
    process.chdir(store.dir);
    const checkpointer = store.open({ dir: "relative" });
    process.chdir(before);
    await checkpointer.append("s", [{ id: "a" }]);
    expect(existsSync(join(store.dir, "relative", "s.jsonl"))).toBe(true);
  } finally {
    process.chdir(before);
  }
});

test("list() is in the order of changes, also inside one millisecond, after reopening too", async () => {
  await using store = temporaryStore();
  const writer = store.open();
  const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
  for (const id of ids) await writer.append(id, [{ id: "a" }]);
  await writer.append("s3", [{ id: "b" }]);
  const wanted = ["s3", ...ids.filter((id) => id !== "s3").toReversed()];
  expect((await writer.list()).map(({ id }) => id)).toEqual(wanted);
  expect((await store.open().list()).map(({ id }) => id)).toEqual(wanted);
});

test("an open handle does not keep a session from being deleted and made anew by another", async () => {
  await using store = temporaryStore();
  const [first, second] = [store.open(), store.open()];
  await first.append("s", [{ id: "a" }]);
  await second.delete("s");
  expect(await first.head("s")).toBe(0);
  expect(await second.append("s", [{ id: "b" }], 0)).toBe(1);
  expect(await first.append("s", [{ id: "c" }])).toBe(2);
  expect(await readSession(second, "s")).toMatchObject({ ids: ["b", "c"] });
});
