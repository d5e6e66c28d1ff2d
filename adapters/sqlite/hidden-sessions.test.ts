import { afterEach, expect, test, vi } from "vitest";
import { append, readAll } from "../../test/store-changes.ts";
import { cleanUp, openDatabase, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

const thousands = Array.from({ length: 2_500 }, () => "{}");

function rows(file: string, table: "records" | "sessions"): unknown {
  return openDatabase(file).prepare(`SELECT count(*) FROM ${table}`).pluck().get();
}

test("delete() removes a short session in one transaction", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(["1", "2"]));
  store.log.length = 0;
  await store.delete("a");
  expect(store.log.filter((sql) => sql === "COMMIT")).toHaveLength(1);
  expect([rows(file, "sessions"), rows(file, "records")]).toEqual([0, 0]);
});

test("delete() hides a long session at once and purges it step by step", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(thousands));
  const deleting = store.delete("a");
  const deleted = store.commit("a", append(["new"]));
  expect(await deleted).toMatchObject({ head: { seq: 1 } });
  await deleting;
  expect([rows(file, "sessions"), rows(file, "records")]).toEqual([1, 1]);
});

test("delete() of an absent session does nothing", async () => {
  const store = openStore({ file: ":memory:" });
  await store.commit("a", append(["1"]));
  await store.delete("b");
  await store.delete("b");
  expect(await store.list({ limit: 10, prefix: "" })).toHaveLength(1);
});

test("the first write purges what crashes have left, and nothing younger", async () => {
  const file = temporaryFile();
  const first = openStore({ file });
  await first.commit("a", append(["1"]));
  const rival = openDatabase(file);
  const young = (Date.now() - 60_000) * 1_000;
  const old = (Date.now() - 7_200_000) * 1_000;
  rival.exec(`INSERT INTO sessions (id, name, generation, mtime) VALUES
    (101, NULL, 'deleted', 0), (102, NULL, 'abandoned', ${old}), (103, NULL, 'alive', ${young})`);
  for (const session of [101, 102, 103]) {
    rival.exec(`WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n LIMIT 1500)
      INSERT INTO records (id, ts, payload) SELECT (${session} << 32) | seq, 1, '{}' FROM n`);
  }
  const second = openStore({ file });
  expect(await second.list({ limit: 10, prefix: "" })).toHaveLength(1);
  expect(rows(file, "sessions")).toBe(4);
  await second.commit("a", append(["2"]));
  await vi.waitFor(() => expect(rows(file, "records")).toBe(1_502));
  const left = rival.prepare("SELECT generation FROM sessions WHERE name IS NULL").pluck().all();
  expect(left).toEqual(["alive"]);
  expect(await readAll(second, "a")).toHaveLength(2);
});

test("a purge does not touch a session that got the id of a purged one", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  await store.commit("a", append(thousands));
  const rival = openDatabase(file);
  const deleting = store.delete("a");
  await vi.waitFor(() => expect(store.log.some((sql) => sql.includes("name = NULL"))).toBe(true));
  rival.exec(`BEGIN IMMEDIATE; DELETE FROM records; DELETE FROM sessions;
    INSERT INTO sessions VALUES (1, 'reborn', 'g', 1);
    INSERT INTO records (id, ts, payload) VALUES ((1 << 32) | 1, 1, '{}'); COMMIT`);
  await deleting;
  expect(await readAll(store, "reborn")).toHaveLength(1);
});
