import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { append, readAll } from "../../test/store-changes.ts";
import { cleanUp, openDatabase, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

const thousand = Array.from({ length: 1_000 }, () => `{"text":"${"x".repeat(500)}"}`);

test("backup() makes a database of its own that holds what was committed", async () => {
  const file = temporaryFile();
  const copy = path.join(path.dirname(file), "copy.db");
  const store = openStore({ file });
  await store.commit("a", append(thousand));
  await store.backup(copy);
  expect(fs.readdirSync(path.dirname(file)).filter((name) => name.includes("copy"))).toEqual([
    "copy.db",
  ]);
  await store.commit("a", append(["later"]));
  const restored = openStore({ file: copy });
  expect(await restored.checkIntegrity()).toEqual({ ok: true, detail: "ok" });
  expect((await readAll(restored, "a")).map(({ payload }) => payload)).toEqual(thousand);
  expect(await restored.head("a")).toMatchObject({ seq: 1_000 });
});

test("backup() is one moment and ends while another connection keeps writing", async () => {
  const file = temporaryFile();
  const copy = `${file}.copy`;
  const [store, writer] = [openStore({ file }), openStore({ file })];
  for (let round = 0; round < 5; round += 1) await store.commit("a", append(thousand));
  let running = true;
  const backup = store.backup(copy).finally(() => (running = false));
  while (running) {
    await writer.commit("a", append(["{}"]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await backup;
  const restored = openStore({ file: copy });
  const head = await restored.head("a");
  expect(await readAll(restored, "a")).toHaveLength(head?.seq ?? 0);
  expect(head?.seq).toBeLessThan((await store.head("a"))?.seq ?? 0);
});

test("backup() replaces an earlier copy and works from memory", async () => {
  const copy = temporaryFile();
  for (const payload of ["1", "2"]) {
    const store = openStore({ file: ":memory:" });
    await store.commit("a", append([payload]));
    await store.backup(copy);
  }
  expect((await readAll(openStore({ file: copy }), "a"))[0]?.payload).toBe("2");
});

test("backup() refuses its own file and a database in use, and leaves nothing behind", async () => {
  const file = temporaryFile();
  const other = path.join(path.dirname(file), "other.db");
  const [store, rival] = [openStore({ file }), openStore({ file: other })];
  await store.commit("a", append(["1"]));
  await rival.commit("b", append(["1"]));
  const refused = { code: "IO_FAILED" };
  await expect(store.backup(file)).rejects.toMatchObject(refused);
  await expect(store.backup(other)).rejects.toMatchObject(refused);
  await expect(store.backup(path.join(file, "x"))).rejects.toMatchObject(refused);
  expect(fs.readdirSync(path.dirname(file)).some((name) => name.includes("partial"))).toBe(false);
  expect(await rival.head("b")).toMatchObject({ seq: 1 });
});

test("checkIntegrity() reports damage and takes an absent database for whole", async () => {
  const file = temporaryFile();
  expect(await openStore({ file }).checkIntegrity()).toEqual({ ok: true, detail: "ok" });
  const store = openStore({ file });
  await store.commit("a", append(thousand));
  await store.close();
  const bytes = fs.readFileSync(file);
  bytes.fill(0xff, 4_096 * 10, 4_096 * 11);
  fs.writeFileSync(file, bytes);
  const report = await openStore({ file }).checkIntegrity();
  expect(report.ok).toBe(false);
  expect(report.detail).not.toBe("ok");
});

test("every operation is CLOSED after close()", async () => {
  const store = openStore({ file: temporaryFile() });
  await store.commit("a", append(["1"]));
  await store.close();
  const closed = { code: "CLOSED" };
  await expect(store.checkIntegrity()).rejects.toMatchObject(closed);
  await expect(store.backup("copy.db")).rejects.toMatchObject(closed);
  await expect(store.commit("a", append(["2"]))).rejects.toMatchObject(closed);
  await expect(store.head("a")).rejects.toMatchObject(closed);
});

test("a store does not pin its log while a backup of another is read", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(thousand));
  await store.backup(`${file}.copy`);
  const database = openDatabase(file);
  expect(database.pragma("wal_checkpoint(TRUNCATE)", { simple: true })).toBe(0);
});
