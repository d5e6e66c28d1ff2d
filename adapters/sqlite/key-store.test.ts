import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import {
  filesWith,
  startKeyStoreChild,
  temporaryDirectory,
} from "../../test/codecs/key-store-children.ts";
import { describeKeyStore, listed, someKey } from "../../test/codecs/key-store-rules.ts";
import { sqliteCheckpointer, sqliteKeyStore } from "./index.ts";

describeKeyStore("sqliteKeyStore()", () => {
  const root = mkdtempSync(join(tmpdir(), "checkpointer-kit-keys-"));
  return {
    open: () => sqliteKeyStore({ file: join(root, "keys.db") }),
    dispose: () => rmSync(root, { recursive: true }),
  };
});

function temporaryFile(): string {
  return join(temporaryDirectory(), "keys.db");
}

test("sqliteKeyStore() creates nothing by looking", async () => {
  const file = temporaryFile();
  const store = sqliteKeyStore({ file });
  await store.get("s");
  expect(await listed(store)).toEqual([]);
  await store.close();
  expect(existsSync(file)).toBe(false);
});

test("sqliteKeyStore() syncs every change and overwrites what it deletes", async () => {
  const file = temporaryFile();
  const store = sqliteKeyStore({ file });
  await store.add("s", someKey());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const database = new Database(file);
  expect(database.pragma("journal_mode", { simple: true })).toBe("wal");
  expect(database.pragma("application_id", { simple: true })).toBe(0x434b4559);
  database.close();
  await store.close();
});

test.each([{ file: "" }, { file: "a\0b" }, { file: 7 as unknown as string }])(
  "sqliteKeyStore(%j) is refused",
  (options) => expect(() => sqliteKeyStore(options)).toThrow(TypeError),
);

test("sqliteKeyStore() refuses a database that is gone with the process", () => {
  expect(() => sqliteKeyStore({ file: ":memory:" })).toThrow(RangeError);
});

test("sqliteKeyStore() refuses a busyTimeoutMs out of bounds", () => {
  for (const busyTimeoutMs of [-1, 0.5, Number.NaN, Infinity]) {
    expect(() => sqliteKeyStore({ file: "keys.db", busyTimeoutMs })).toThrow(RangeError);
  }
});

test("a database of sessions and one of keys are not opened as the other", async () => {
  const directory = temporaryDirectory();
  const [logs, keys] = [join(directory, "logs.db"), join(directory, "keys.db")];
  const log = sqliteCheckpointer({ file: logs });
  await log.append("s", [{ type: "user", content: "Hello" }]);
  await log.close();
  const store = sqliteKeyStore({ file: keys });
  await store.add("s", someKey());
  await store.close();
  const before = [readFileSync(logs), readFileSync(keys)];
  const refused = { code: "UNSUPPORTED_FORMAT" };
  await expect(sqliteKeyStore({ file: logs }).add("s", someKey())).rejects.toMatchObject(refused);
  const other = sqliteCheckpointer({ file: keys });
  await expect(other.append("s", [{ type: "user", content: "x" }])).rejects.toMatchObject(refused);
  expect([readFileSync(logs), readFileSync(keys)]).toEqual(before);
});

test.each([
  ["a newer layout", "PRAGMA user_version = 2"],
  ["another program's database", "PRAGMA application_id = 7"],
  ["missing tables", "DROP TABLE shredded"],
])("%s is refused and left as it is", async (_name, sql) => {
  const file = temporaryFile();
  const store = sqliteKeyStore({ file });
  await store.add("s", someKey());
  await store.close();
  const database = new Database(file);
  database.exec(sql);
  database.close();
  const before = readFileSync(file);
  const again = sqliteKeyStore({ file });
  const refused = { code: "UNSUPPORTED_FORMAT" };
  await expect(again.get("s")).rejects.toMatchObject(refused);
  await expect(again.add("s", someKey())).rejects.toMatchObject(refused);
  await expect(again.shred("s")).rejects.toMatchObject(refused);
  expect(readFileSync(file)).toEqual(before);
});

test("a stranger's write-ahead log is not moved into its database by a look", async () => {
  const [file, left] = [temporaryFile(), temporaryFile()];
  const stranger = new Database(file);
  stranger.pragma("journal_mode = WAL");
  stranger.exec("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')");
  // As a crash leaves them.
  for (const suffix of ["", "-wal"]) copyFileSync(`${file}${suffix}`, `${left}${suffix}`);
  stranger.close();
  const before = [readFileSync(left), readFileSync(`${left}-wal`)];
  expect(before[1]!.length).toBeGreaterThan(0);
  const refused = { code: "UNSUPPORTED_FORMAT" };
  await expect(sqliteKeyStore({ file: left }).add("s", someKey())).rejects.toMatchObject(refused);
  expect([readFileSync(left), readFileSync(`${left}-wal`)]).toEqual(before);
});

test("a file that is no database is refused and left as it is", async () => {
  const file = temporaryFile();
  writeFileSync(file, "my house keys ".repeat(99));
  const before = readFileSync(file);
  await expect(sqliteKeyStore({ file }).add("s", someKey())).rejects.toMatchObject({
    code: "UNSUPPORTED_FORMAT",
  });
  expect(readFileSync(file)).toEqual(before);
});

test("a database in a directory that is not there is KEY_UNAVAILABLE", async () => {
  const store = sqliteKeyStore({ file: join(temporaryDirectory(), "none", "keys.db") });
  const unavailable = { code: "KEY_UNAVAILABLE", retryable: true };
  await expect(store.add("s", someKey())).rejects.toMatchObject(unavailable);
});

test("a database that was replaced under an open handle is KEY_UNAVAILABLE", async () => {
  const file = temporaryFile();
  const store = sqliteKeyStore({ file });
  await store.add("s", someKey());
  rmSync(file);
  await expect(store.add("s", someKey())).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
});

test("a database that stays locked is KEY_UNAVAILABLE in the end", async () => {
  const file = temporaryFile();
  const store = sqliteKeyStore({ file, busyTimeoutMs: 20 });
  await store.add("s", someKey());
  const other = new Database(file);
  other.exec("BEGIN IMMEDIATE");
  const unavailable = { code: "KEY_UNAVAILABLE", retryable: true };
  await expect(store.add("s", someKey())).rejects.toMatchObject(unavailable);
  expect((await store.get("s")).keys).toHaveLength(1);
  other.close();
  expect(await store.add("s", someKey())).toBe(true);
});

test("shred leaves the wrapped bytes in no file", async () => {
  const file = temporaryFile();
  const directory = join(file, "..");
  const store = sqliteKeyStore({ file });
  // Large ones reach overflow pages, many reach several pages.
  const keys = Array.from({ length: 60 }, (_, index) =>
    someKey({ wrapped: crypto.getRandomValues(new Uint8Array(index % 9 === 0 ? 9_000 : 113)) }),
  );
  for (const key of keys) await store.add("s", key);
  await store.add("t", someKey());
  const old = someKey({ id: keys[0]!.id });
  await store.replace("s", [old]);
  expect(filesWith(directory, keys[1]!.wrapped)).not.toEqual([]);
  await store.shred("s");
  for (const { wrapped } of [...keys, old]) {
    for (const part of [wrapped.subarray(0, 64), wrapped.subarray(-64)]) {
      expect(filesWith(directory, part)).toEqual([]);
    }
  }
  expect((await store.get("t")).keys).toHaveLength(1);
  await store.close();
});

test("shred fails while somebody reads the old state, and can be called again", async () => {
  const file = temporaryFile();
  const store = sqliteKeyStore({ file, busyTimeoutMs: 20 });
  const key = someKey();
  await store.add("s", key);
  const reader = new Database(file);
  onTestFinished(() => void reader.close());
  reader.exec("BEGIN; SELECT * FROM keys");
  await expect(store.shred("s")).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
  expect(await store.get("s")).toEqual({ shredded: true, keys: [] });
  reader.exec("COMMIT");
  await store.shred("s");
  expect(filesWith(join(file, ".."), key.wrapped)).toEqual([]);
});

test("processes that make a database and add to it at the same time all succeed", async () => {
  const file = temporaryFile();
  const keys = Array.from({ length: 40 }, () => someKey());
  const children = await Promise.all(
    [0, 1, 2, 3].map((part) => {
      const steps = keys
        .filter((_, index) => index % 4 === part)
        .map(({ id, wrapped }) => {
          const spelled = { id, wrapped: Buffer.from(wrapped).toString("hex") };
          return { name: "add" as const, sessionId: "s", key: spelled };
        });
      return startKeyStoreChild({ kind: "sqlite", path: file, steps, faults: [] });
    }),
  );
  const answers = await Promise.all(children.map((child) => child.run()));
  expect(answers.flat()).toEqual(keys.map(() => true));
  const { keys: found } = await sqliteKeyStore({ file }).get("s");
  expect(found.map(({ id }) => id).toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
});

test("an open handle does not keep its process alive, and closing it leaves one file", async () => {
  const file = temporaryFile();
  const steps = [{ name: "shred" as const, sessionId: "s" }];
  const child = await startKeyStoreChild({ kind: "sqlite", path: file, steps, faults: [] });
  expect(await child.run()).toEqual([null]);
  expect(readdirSync(join(file, ".."))).toEqual(["keys.db"]);
});
