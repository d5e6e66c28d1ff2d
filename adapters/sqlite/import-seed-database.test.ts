import { createHash } from "node:crypto";
import fs from "node:fs";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { memoryCheckpointer } from "../memory/index.ts";
import { importSeedDatabase } from "./import-seed-database.ts";
import { cleanUp, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

/** The seed's own tables, with `events` given as session, seq and JSON text. */
function makeSeed(events: ReadonlyArray<[string, number, string]>): string {
  const file = temporaryFile();
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.exec(`CREATE TABLE events (
      session_id TEXT NOT NULL, seq INTEGER NOT NULL, parent_seq INTEGER,
      ts TEXT NOT NULL, payload TEXT NOT NULL, PRIMARY KEY (session_id, seq));
    CREATE TABLE sessions (id TEXT PRIMARY KEY, updated TEXT NOT NULL, head INTEGER NOT NULL);
    PRAGMA user_version = 1`);
  const insert = database.prepare("INSERT INTO events VALUES (?, ?, NULL, ?, ?)");
  const upsert = database.prepare("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)");
  for (const [index, [id, seq, text]] of events.entries()) {
    const ts = new Date(1_700_000_000_000 + index).toISOString();
    insert.run(id, seq, ts, text);
    upsert.run(id, ts, seq);
  }
  database.prepare("INSERT INTO sessions VALUES ('phantom', '2020', 0)").run();
  database.close();
  return file;
}

async function textsOf(
  target: ReturnType<typeof memoryCheckpointer>,
  id: string,
): Promise<string[]> {
  const texts: string[] = [];
  for await (const { event } of target.read(id)) texts.push(JSON.stringify(event));
  return texts;
}

const user = (content: string): string => JSON.stringify({ type: "user", content });

test("importSeedDatabase() copies every session exactly, in order of last change", async () => {
  const odd = String.raw`{"type":"user","content":"\u0000\ud800 é","__proto__":{"x":1},"2":1}`;
  const long = Array.from({ length: 350 }, (_, index): [string, number, string] => [
    "long",
    index + 1,
    user(`n${index}`),
  ]);
  const file = makeSeed([["a", 1, user("one")], ...long, ["a", 2, odd]]);
  const hash = createHash("sha256").update(fs.readFileSync(file)).digest("hex");
  const target = memoryCheckpointer();
  expect(await importSeedDatabase(file, target)).toEqual({ sessions: 2, events: 352, skipped: 0 });
  expect(await textsOf(target, "a")).toEqual([user("one"), JSON.stringify(JSON.parse(odd))]);
  expect(await textsOf(target, "long")).toEqual(long.map(([, , text]) => text));
  expect((await target.list()).map(({ id }) => id)).toEqual(["a", "long"]);
  expect(createHash("sha256").update(fs.readFileSync(file)).digest("hex")).toBe(hash);
});

test("importSeedDatabase() run twice adds nothing twice, also to longer sessions", async () => {
  const file = makeSeed([
    ["a", 1, user("1")],
    ["a", 2, user("2")],
    ["b", 1, user("3")],
  ]);
  const target = memoryCheckpointer();
  await target.append("a", [{ type: "user", content: "1" }]);
  expect(await importSeedDatabase(file, target)).toEqual({ sessions: 2, events: 2, skipped: 1 });
  await target.append("a", [{ type: "user", content: "later" }]);
  expect(await importSeedDatabase(file, target)).toEqual({ sessions: 2, events: 0, skipped: 3 });
  expect(await textsOf(target, "a")).toEqual([user("1"), user("2"), user("later")]);
});

test("importSeedDatabase() refuses a target that holds other events", async () => {
  const file = makeSeed([["a", 1, user("1")]]);
  const target = memoryCheckpointer();
  await target.append("a", [{ type: "user", content: "other" }]);
  await expect(importSeedDatabase(file, target)).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await textsOf(target, "a")).toEqual([user("other")]);
});

test.each([
  [
    "a missing seq",
    [
      ["a", 1, "{}"],
      ["a", 3, "{}"],
    ],
    2,
  ],
  [
    "an event that is not JSON",
    [
      ["a", 1, "{}"],
      ["a", 2, "{oops: secret"],
    ],
    2,
  ],
  ["an event that is not an object", [["a", 1, "[1]"]], 1],
] as Array<[string, Array<[string, number, string]>, number]>)(
  "importSeedDatabase() reports %s",
  async (_name, events, seq) => {
    const imported = importSeedDatabase(makeSeed(events), memoryCheckpointer());
    const error: unknown = await imported.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "CORRUPT_LOG", sessionId: "a", seq });
    expect(String(error)).not.toContain("secret");
  },
);

test("importSeedDatabase() knows the columns by their other names", async () => {
  const file = temporaryFile();
  const database = new Database(file);
  database.exec(`CREATE TABLE events (session TEXT, seq INTEGER, timestamp TEXT, event TEXT);
    INSERT INTO events VALUES ('a', 1, '', '{"type":"user","content":"1"}')`);
  database.close();
  const target = memoryCheckpointer();
  expect(await importSeedDatabase(file, target)).toMatchObject({ sessions: 1, events: 1 });
});

test.each([
  ["other columns", "CREATE TABLE events (id, seq, body)", "met the columns id, seq, body"],
  ["no such table", "CREATE TABLE notes (x)", "met no such table"],
])(
  "importSeedDatabase() says what it wanted and met in a database with %s",
  async (_name, sql, met) => {
    const file = temporaryFile();
    const database = new Database(file);
    database.exec(sql);
    database.close();
    await expect(importSeedDatabase(file, memoryCheckpointer())).rejects.toMatchObject({
      code: "UNSUPPORTED_FORMAT",
      message: expect.stringContaining(met),
    });
  },
);

test("importSeedDatabase() refuses an absent file and one that is no database", async () => {
  const file = temporaryFile();
  const target = memoryCheckpointer();
  await expect(importSeedDatabase(file, target)).rejects.toMatchObject({ code: "IO_FAILED" });
  expect(fs.existsSync(file)).toBe(false);
  fs.writeFileSync(file, "no database at all");
  const unsupported = { code: "UNSUPPORTED_FORMAT" };
  await expect(importSeedDatabase(file, target)).rejects.toMatchObject(unsupported);
});
