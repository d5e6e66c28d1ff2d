import fs from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { append } from "../../test/store-changes.ts";
import { cleanUp, openDatabase, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

const large = `{"text":"${"x".repeat(3 * 1024 * 1024)}"}`;

function walSize(file: string): number {
  return fs.statSync(`${file}-wal`).size;
}

test("the write-ahead log is emptied when nothing was written for a while", async () => {
  const file = temporaryFile();
  const store = openStore({ file }, { quietMs: 20 });
  await store.commit("a", append([large]));
  expect(walSize(file)).toBeGreaterThan(large.length);
  await vi.waitFor(() => expect(walSize(file)).toBe(0));
  expect(await store.head("a")).toMatchObject({ seq: 1 });
});

test("the write-ahead log is emptied once a reader is out of the way", async () => {
  const file = temporaryFile();
  const store = openStore({ file }, { quietMs: 20 });
  await store.commit("a", append(["{}"]));
  const reader = openDatabase(file);
  reader.exec("BEGIN; SELECT * FROM records");
  await store.commit("a", append([large]));
  const checkpoints = (): number =>
    store.log.filter((sql) => sql.includes("wal_checkpoint")).length;
  await vi.waitFor(() => expect(checkpoints()).toBeGreaterThan(1));
  expect(walSize(file)).toBeGreaterThan(0);
  reader.exec("COMMIT");
  await vi.waitFor(() => expect(walSize(file)).toBe(0));
});

test("a large write-ahead log is cut back when it starts over", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  for (let round = 0; round < 4; round += 1) await store.commit("a", append([large, large, large]));
  await store.commit("a", append(["{}"]));
  await store.commit("a", append(["{}"]));
  expect(walSize(file)).toBeLessThanOrEqual(4 * 1024 * 1024);
});

test("close() leaves one file without a write-ahead log", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["{}"]));
  await store.close();
  expect(fs.existsSync(file)).toBe(true);
  expect([`${file}-wal`, `${file}-shm`].filter((side) => fs.existsSync(side))).toEqual([]);
});
