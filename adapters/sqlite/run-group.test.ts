import type { Database, Statement } from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { append, readAll } from "../../test/store-changes.ts";
import { cleanUp, openDatabase, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

const sessions = Array.from({ length: 64 }, (_, index) => `session-${index}`);

function count(log: readonly string[], sql: string): number {
  return log.filter((line) => line === sql).length;
}

test("64 appends of one tick share one transaction", async () => {
  const store = openStore({ file: temporaryFile() });
  await store.commit("other", append(["{}"]));
  store.log.length = 0;
  await Promise.all(sessions.map((id) => store.commit(id, append(["{}"]))));
  expect(count(store.log, "BEGIN IMMEDIATE")).toBe(1);
  expect(count(store.log, "COMMIT")).toBe(1);
});

test("64 writers that each append in a loop share one transaction a round", async () => {
  const store = openStore({ file: temporaryFile() });
  const rounds = 10;
  const writer = async (id: string): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) await store.commit(id, append(["{}"]));
  };
  await Promise.all(sessions.map(writer));
  expect(count(store.log, "COMMIT")).toBeLessThanOrEqual(rounds + 1);
  const heads = await Promise.all(sessions.map((id) => store.head(id)));
  expect(heads.every((head) => head?.seq === rounds)).toBe(true);
});

test("a refusal and a failure in a group leave the others alone", async () => {
  const store = openStore({ file: temporaryFile() });
  await store.commit("a", append(["1"]));
  const broken = undefined as unknown as string;
  const outcomes = await Promise.allSettled([
    store.commit("a", append(["2"])),
    store.commit("b", append(["1", broken])),
    store.commit("c", append(["1"], { base: { seq: 7 } })),
    store.commit("a", append(["3"])),
    store.commit("d", append(["1", "2"])),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
  ]);
  expect(outcomes[2]).toMatchObject({ value: { conflict: null } });
  expect((await readAll(store, "a")).map(({ payload }) => payload)).toEqual(["1", "2", "3"]);
  expect(await store.head("b")).toBeNull();
  expect(await store.head("d")).toMatchObject({ seq: 2 });
});

test("a failed append does not make the next one skip a seq", async () => {
  const store = openStore({ file: temporaryFile() });
  await store.commit("a", append(["1"]));
  const broken = undefined as unknown as string;
  await expect(store.commit("a", append(["2", broken]))).rejects.toThrow();
  await store.commit("a", append(["2"]));
  expect((await readAll(store, "a")).map(({ seq }) => seq)).toEqual([1, 2]);
});

test("a full disk is IO_FAILED, changes nothing, and passes", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["1"]));
  // The limit is per connection, so it has to be set on the store's own.
  const pages = openDatabase(file).pragma("page_count", { simple: true }) as number;
  const limited = openStore({ file }, {}, (database) => {
    database.pragma(`max_page_count = ${pages}`);
  });
  const large = `{"text":"${"x".repeat(100_000)}"}`;
  await expect(limited.commit("a", append([large]))).rejects.toMatchObject({
    code: "IO_FAILED",
    cause: { code: "SQLITE_FULL" },
  });
  await limited.commit("a", append(["2"]));
  expect((await readAll(store, "a")).map(({ payload }) => payload)).toEqual(["1", "2"]);
});

/** Makes statements of a connection fail as long as `failures` holds an error for them. */
function failing(failures: Map<string, Error>): (database: Database) => void {
  return (database) => {
    const prepare = database.prepare.bind(database) as (sql: string) => Statement;
    const guarded = (sql: string): Statement => {
      const statement = prepare(sql);
      const run = statement.run.bind(statement);
      statement.run = (...parameters: unknown[]) => {
        const failure = failures.get(sql);
        if (failure !== undefined) throw failure;
        return run(...parameters);
      };
      return statement;
    };
    Object.assign(database, { prepare: guarded });
  };
}

function sqliteError(code: string): Error {
  return Object.assign(new Error("injected"), { code });
}

test.each([
  ["SQLITE_IOERR_FSYNC", "OUTCOME_UNKNOWN"],
  ["SQLITE_IOERR_WRITE", "IO_FAILED"],
  ["SQLITE_CORRUPT", "CORRUPT_LOG"],
])("a COMMIT that fails with %s is %s for every write of its group", async (code, expected) => {
  const failures = new Map<string, Error>();
  const store = openStore({ file: temporaryFile() }, {}, failing(failures));
  await store.commit("a", append(["1"]));
  failures.set("COMMIT", sqliteError(code));
  const writes = ["a", "b"].map((id) => store.commit(id, append(["2"])));
  for (const write of writes) await expect(write).rejects.toMatchObject({ code: expected });
  failures.clear();
  await store.commit("a", append(["3"]));
  expect((await readAll(store, "a")).map(({ payload }) => payload)).toEqual(["1", "3"]);
});

test("a transaction that cannot be rolled back costs its connection and nothing else", async () => {
  const failures = new Map<string, Error>();
  const store = openStore({ file: temporaryFile() }, {}, failing(failures));
  await store.commit("a", append(["1"]));
  failures.set("COMMIT", sqliteError("SQLITE_IOERR_WRITE"));
  failures.set("ROLLBACK", sqliteError("SQLITE_IOERR"));
  const io = { code: "IO_FAILED" };
  await expect(store.commit("a", append(["2", "3"]))).rejects.toMatchObject(io);
  failures.clear();
  await store.commit("a", append(["4"]));
  expect((await readAll(store, "a")).map(({ payload }) => payload)).toEqual(["1", "4"]);
});

test("a writer waits for a lock without blocking, then fails with BUSY", async () => {
  const file = temporaryFile();
  const store = openStore({ file, busyTimeoutMs: 150 });
  await store.commit("a", append(["1"]));
  const rival = openDatabase(file);
  rival.exec("BEGIN IMMEDIATE");
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  const started = performance.now();
  const busy = { code: "BUSY", retryable: true };
  await expect(store.commit("a", append(["2"]))).rejects.toMatchObject(busy);
  clearInterval(timer);
  expect(performance.now() - started).toBeGreaterThanOrEqual(149);
  expect(turns).toBeGreaterThan(5);
  expect(await readAll(store, "a")).toHaveLength(1);
  rival.exec("ROLLBACK");
  await store.commit("a", append(["3"]));
});

test("writers that wait for a lock go on in order when it is free", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["0"]));
  const rival = openDatabase(file);
  rival.exec("BEGIN IMMEDIATE");
  const writes = ["1", "2", "3"].map((payload) => store.commit("a", append([payload])));
  setTimeout(() => rival.exec("COMMIT"), 30);
  await Promise.all([...writes, store.commit("b", append(["1"]))]);
  const payloads = (await readAll(store, "a")).map(({ payload }) => payload);
  expect(payloads).toEqual(["0", "1", "2", "3"]);
});

test("reading goes on while another connection holds the write lock", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["1"]));
  const rival = openDatabase(file);
  rival.exec("BEGIN IMMEDIATE");
  expect(await readAll(store, "a")).toHaveLength(1);
  expect(await store.list({ limit: 10, prefix: "" })).toHaveLength(1);
});
