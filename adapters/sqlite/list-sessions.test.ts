import fs from "node:fs";
import { afterEach, expect, test } from "vitest";
import { comparePosition, type ListPosition } from "../../src/index.ts";
import { append, keep } from "../../test/store-changes.ts";
import { cleanUp, openDatabase, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

/** The number of the page that holds a record, counted through all sessions. */
function pageOfRecord(file: string, position: number): number {
  const leaves = openDatabase(file)
    .prepare<[], { pageno: number; ncell: number }>(
      "SELECT pageno, ncell FROM dbstat WHERE name = 'records' AND pagetype = 'leaf' ORDER BY path",
    )
    .all();
  let records = 0;
  const leaf = leaves.find(({ ncell }) => (records += ncell) >= position);
  return leaf?.pageno ?? 0;
}

const everything = { limit: Number.MAX_SAFE_INTEGER, prefix: "" };

test("list() orders by the last change and keeps its exact mtime", async () => {
  const store = openStore({ file: ":memory:" });
  const changes = [append(["1"]), append(["1", "2"]), keep(1)];
  const mtimes = changes.map(({ mtime }) => mtime);
  await store.commit("a", append(["1", "2"]));
  for (const [index, id] of ["b", "c", "a"].entries()) {
    await store.commit(id, changes[index] ?? keep(0));
  }
  expect(await store.list(everything)).toEqual([
    { id: "a", mtime: mtimes[2], head: 1 },
    { id: "c", mtime: mtimes[1], head: 2 },
    { id: "b", mtime: mtimes[0], head: 1 },
  ]);
});

test("list() reports the mtime of a change whose records are older or newer than it", async () => {
  const store = openStore({ file: ":memory:" });
  for (const [id, ts] of [
    ["past", "2001-01-01T00:00:00.000Z"],
    ["future", "2999-01-01T00:00:00.000Z"],
  ] as const) {
    const change = append([], {
      batches: [{ records: [{ ts, payload: "{}" }] }],
      mtime: 1_000.001,
    });
    await store.commit(id, change);
  }
  const mtimes = (await store.list(everything)).map(({ mtime }) => mtime);
  expect(mtimes).toEqual([1_000.001, 1_000.001]);
});

test("list() breaks ties by code unit, which is not the order of UTF-8 bytes", async () => {
  const store = openStore({ file: ":memory:" });
  const ids = ["\uffee", "\u{1f600}", "b", "a", "B"];
  for (const id of ids) await store.commit(id, append(["{}"], { mtime: 5 }));
  const sorted = ids.toSorted((left, right) => (left < right ? -1 : 1));
  expect((await store.list(everything)).map(({ id }) => id)).toEqual(sorted);
});

test("list() pages neither repeat nor skip, also where mtimes are equal", async () => {
  const store = openStore({ file: ":memory:" });
  for (let index = 0; index < 50; index += 1) {
    await store.commit(`s${index}`, append(["{}"], { mtime: 100 + Math.floor(index / 7) }));
  }
  const whole = await store.list(everything);
  expect(whole).toEqual(whole.toSorted(comparePosition));
  for (const limit of [1, 3, 7, 10]) {
    const walked: ListPosition[] = [];
    for (let page = whole; page.length > 0;) {
      page = await store.list({ limit, prefix: "", cursor: walked.at(-1) });
      walked.push(...page);
    }
    expect(walked).toEqual(whole);
  }
});

test("list() takes wildcards, quotes and half a character of a prefix literally", async () => {
  const store = openStore({ file: ":memory:" });
  const ids = [
    "a%b",
    "a_b",
    "aXb",
    "a'b",
    'a"b',
    "a*b",
    "a[b",
    "A%b",
    "a",
    "\u{1f600}x",
    "\u{10ffff}",
  ];
  for (const id of ids) await store.commit(id, append(["{}"]));
  const matching = async (prefix: string): Promise<string[]> =>
    (await store.list({ ...everything, prefix })).map(({ id }) => id).toSorted();
  for (const prefix of [
    "",
    "a",
    "a%",
    "a_",
    "a'",
    "a*",
    "A",
    "b",
    "\ud83d",
    "\u{1f600}",
    "\u{10ffff}",
  ]) {
    expect(await matching(prefix)).toEqual(ids.filter((id) => id.startsWith(prefix)).toSorted());
  }
});

test("sessions whose ids look like patterns of each other stay apart", async () => {
  const store = openStore({ file: ":memory:" });
  const ids = ["a%", "a_", "ab", "a", "A", "a ", "é", "e\u0301", "..", "a/b", "%2f", "NULL"];
  for (const id of ids) await store.commit(id, append([`{"id":${JSON.stringify(id)}}`]));
  await store.delete("a%");
  await store.commit("a_", keep(0));
  for (const id of ids.slice(2)) expect(await store.head(id)).toMatchObject({ seq: 1 });
  expect(await store.head("a%")).toBeNull();
});

test("list() shows a damaged session and hides no other", async () => {
  const file = temporaryFile();
  const store = openStore({ file });
  const large = `{"text":"${"x".repeat(900)}"}`;
  for (const id of ["a", "b", "c"]) {
    await store.commit(id, append(Array.from({ length: 400 }, () => large)));
  }
  await store.close();
  const bytes = fs.readFileSync(file);
  const page = pageOfRecord(file, 800);
  bytes.fill(0xff, (page - 1) * 4_096, page * 4_096);
  fs.writeFileSync(file, bytes);
  const listed = await openStore({ file }).list(everything);
  expect(listed.map(({ id }) => id).toSorted()).toEqual(["a", "b", "c"]);
  const damaged = listed.filter((session) => session.damaged === true);
  expect(damaged.map(({ id }) => id)).toEqual(["b"]);
});
