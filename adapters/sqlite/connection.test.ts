import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { applicationId } from "./schema.ts";
import { append, readAll } from "../../test/store-changes.ts";
import {
  cleanUp,
  openDatabase,
  openStore,
  temporaryFile,
  temporaryFolder,
} from "./testing/temporary-store.ts";

afterEach(cleanUp);

const unsupported = { code: "UNSUPPORTED_FORMAT" };

/** Files of a folder with a hash of what is in them. */
function snapshot(folder: string): Record<string, string> {
  const hashes = fs.readdirSync(folder).map((name) => {
    const bytes = fs.readFileSync(path.join(folder, name));
    return [name, createHash("sha256").update(bytes).digest("hex")];
  });
  return Object.fromEntries(hashes) as Record<string, string>;
}

/** Makes a database, lets `sql` fill it and closes it. */
function makeDatabase(sql: string, journal = "DELETE"): string {
  const file = temporaryFile();
  const database = new Database(file);
  database.pragma(`journal_mode = ${journal}`);
  database.exec(sql);
  database.close();
  return file;
}

const ownLayout = `PRAGMA application_id = ${applicationId}; CREATE TABLE sessions (id);
  CREATE TABLE records (id)`;

const foreign: Array<[name: string, sql: string, journal: string]> = [
  ["another program's tables", "CREATE TABLE notes (text)", "DELETE"],
  ["another program's tables in WAL mode", "CREATE TABLE notes (text)", "WAL"],
  ["another application id", "PRAGMA application_id = 7", "DELETE"],
  ["another application id in WAL mode", "PRAGMA application_id = 7", "WAL"],
  ["a version without tables", "PRAGMA user_version = 3", "DELETE"],
  ["a newer layout of ours", `${ownLayout}; PRAGMA user_version = 2`, "WAL"],
  ["our application id without our tables", `PRAGMA application_id = ${applicationId}`, "DELETE"],
];

test.each(foreign)("opening refuses %s and leaves it as it was", async (_name, sql, journal) => {
  const file = makeDatabase(sql, journal);
  const before = snapshot(path.dirname(file));
  const store = openStore({ file });
  await expect(store.commit("a", append(["{}"]))).rejects.toMatchObject(unsupported);
  await expect(store.head("a")).rejects.toMatchObject(unsupported);
  await store.close();
  expect(snapshot(path.dirname(file))).toEqual(before);
});

test("opening refuses a foreign database whose log was never checkpointed, unchanged", async () => {
  const file = temporaryFile();
  const owner = new Database(file);
  owner.pragma("journal_mode = WAL");
  owner.exec("CREATE TABLE notes (text); INSERT INTO notes VALUES ('kept')");
  const folder = temporaryFolder();
  const copy = path.join(folder, "copy.db");
  fs.copyFileSync(file, copy);
  fs.copyFileSync(`${file}-wal`, `${copy}-wal`);
  owner.close();
  const before = snapshot(folder);
  await expect(openStore({ file: copy }).head("a")).rejects.toMatchObject(unsupported);
  expect(snapshot(folder)).toMatchObject(before);
});

test("opening refuses a file that is no database and leaves it as it was", async () => {
  const file = temporaryFile();
  fs.writeFileSync(file, "not a database\n".repeat(100));
  const before = snapshot(path.dirname(file));
  await expect(openStore({ file }).head("a")).rejects.toMatchObject(unsupported);
  expect(snapshot(path.dirname(file))).toEqual(before);
});

test("opening refuses the seed's layout and names the import", async () => {
  const file = makeDatabase(
    "CREATE TABLE events (session_id, seq); CREATE TABLE sessions (id); PRAGMA user_version = 1",
  );
  await expect(openStore({ file }).head("a")).rejects.toThrow("importSeedDatabase()");
});

test("opening makes a database of an empty file and of an empty database", async () => {
  const empty = temporaryFile();
  fs.writeFileSync(empty, "");
  const bare = makeDatabase("CREATE TABLE gone (x); DROP TABLE gone");
  for (const file of [empty, bare]) {
    const store = openStore({ file });
    await store.commit("a", append(["{}"]));
    expect(await readAll(store, "a")).toHaveLength(1);
    expect(openDatabase(file).pragma("application_id", { simple: true })).toBe(applicationId);
  }
});

test("opening uses WAL and the synchronous mode it was asked for", async () => {
  const file = temporaryFile();
  const store = openStore({ file, synchronous: "full" });
  await store.commit("a", append(["{}"]));
  expect(store.log).toContain("PRAGMA synchronous = full");
  expect(openDatabase(file).pragma("journal_mode", { simple: true })).toBe("wal");
});

test("reading creates no file, and the first write one that only its owner can read", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  expect(await store.head("a")).toBeNull();
  expect(await store.list({ limit: 10, prefix: "" })).toEqual([]);
  expect(await readAll(store, "a")).toEqual([]);
  await store.delete("a");
  expect(fs.existsSync(file)).toBe(false);
  await store.commit("a", append(["{}"]));
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
});

test("a failure to open rejects the call and is not remembered", async () => {
  const folder = path.join(temporaryFolder(), "later");
  const store = openStore({ file: path.join(folder, "sessions.db") });
  await expect(store.commit("a", append(["{}"]))).rejects.toMatchObject({ code: "IO_FAILED" });
  fs.mkdirSync(folder);
  await store.commit("a", append(["{}"]));
  expect(await store.head("a")).toMatchObject({ seq: 1 });
});

test("opening waits for a lock without blocking, then fails with BUSY", async () => {
  const file = temporaryFile();
  fs.writeFileSync(file, "");
  const rival = openDatabase(file);
  rival.exec("BEGIN EXCLUSIVE");
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  const store = openStore({ file, busyTimeoutMs: 100 });
  const busy = { code: "BUSY", retryable: true };
  await expect(store.commit("a", append(["{}"]))).rejects.toMatchObject(busy);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
  rival.exec("ROLLBACK");
  await store.commit("a", append(["{}"]));
});

test("opening with integrityCheckOnOpen refuses a damaged database", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit(
    "a",
    append(Array.from({ length: 500 }, () => `{"text":"${"x".repeat(500)}"}`)),
  );
  await store.close();
  const bytes = fs.readFileSync(file);
  bytes.fill(0xff, 4_096 * 10, 4_096 * 11);
  fs.writeFileSync(file, bytes);
  const checked = openStore({ file, integrityCheckOnOpen: true });
  await expect(checked.head("a")).rejects.toMatchObject({ code: "CORRUPT_LOG" });
  expect(await openStore({ file }).head("a")).toMatchObject({ seq: 500 });
});

test("a database that was replaced or deleted is refused before anything is written", async () => {
  const file = temporaryFile();
  const moved = `${file}.moved`;
  const store = openStore({ file });
  await store.commit("a", append(["1"]));
  const elsewhere = { code: "IO_FAILED", message: expect.stringContaining("replaced or deleted") };
  fs.renameSync(file, moved);
  const size = fs.statSync(`${file}-wal`).size;
  await expect(store.commit("a", append(["2"]))).rejects.toMatchObject(elsewhere);
  await expect(store.head("a")).rejects.toMatchObject(elsewhere);
  fs.writeFileSync(file, "");
  await expect(store.delete("a")).rejects.toMatchObject(elsewhere);
  expect(fs.statSync(`${file}-wal`).size).toBe(size);
  fs.renameSync(moved, file);
  await store.commit("a", append(["3"]));
  expect((await readAll(store, "a")).map(({ payload }) => payload)).toEqual(["1", "3"]);
});
