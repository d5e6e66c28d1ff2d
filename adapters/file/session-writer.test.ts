// How long a handle keeps a session's lock: a while after its last change, and not while others wait.

import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { hookPort } from "../../test/processes/faulty-port.ts";
import { until } from "../../test/processes/children.ts";
import { readSession, temporaryStore } from "./testing/sample-log.ts";
import type { FilePort } from "./file-port.ts";

/** A port that counts how often a lock is taken. */
function countingPort(): { port: FilePort; locks: () => number } {
  let locks = 0;
  const port = hookPort({
    after({ name }) {
      if (name === "mkdir") locks += 1;
    },
  });
  return { port, locks: () => locks };
}

test("append() takes the lock once for appends in a row, and gives it back afterwards", async () => {
  await using store = temporaryStore();
  const { port, locks } = countingPort();
  const checkpointer = store.open({ port, lockLingerMs: 200 });
  for (let index = 0; index < 20; index += 1) await checkpointer.append("s", [{ id: `${index}` }]);
  expect(locks()).toBe(1);
  expect(existsSync(store.pathOf("s").replace(".jsonl", ".lock"))).toBe(true);
  await until(() => readdirSync(store.dir).length === 1, "the lock to be given back");
  await checkpointer.append("s", [{ id: "later" }]);
  expect(locks()).toBe(2);
});

test("append() without lingering gives the lock back at once", async () => {
  await using store = temporaryStore();
  const { port, locks } = countingPort();
  const checkpointer = store.open({ port, lockLingerMs: 0 });
  for (let index = 0; index < 5; index += 1) await checkpointer.append("s", [{ id: `${index}` }]);
  expect(locks()).toBe(5);
  expect(readdirSync(store.dir)).toEqual(["s.jsonl"]);
});

test("append() merges what waits, so that many appends at once take one lock", async () => {
  await using store = temporaryStore();
  const { port, locks } = countingPort();
  const checkpointer = store.open({ port, lockLingerMs: 0 });
  const ids = Array.from({ length: 100 }, (_, index) => `${index}`);
  await Promise.all(ids.map((id) => checkpointer.append("s", [{ id }])));
  expect(locks()).toBeLessThanOrEqual(3);
  expect(await readSession(checkpointer, "s")).toMatchObject({ ids });
});

test("handles that append by turns never fail with BUSY", async () => {
  await using store = temporaryStore();
  const handles = [store.open(), store.open(), store.open()];
  for (let turn = 0; turn < 30; turn += 1) {
    const handle = handles[turn % handles.length]!;
    expect(await handle.append("s", [{ id: `${turn}` }])).toBe(turn + 1);
  }
});

test("handles that append at once in a loop all get their turn", async () => {
  await using store = temporaryStore();
  const handles = [store.open(), store.open(), store.open()];
  const counts = handles.map(() => 0);
  // A bound of its own: where one starves the others, no timer of the test runner fires either.
  const deadline = performance.now() + 5_000;
  await Promise.all(
    handles.map(async (handle, name) => {
      // Each goes on until the slowest has had ten turns.
      while (Math.min(...counts) < 10 && performance.now() < deadline) {
        await handle.append("s", [{ id: `${name}` }]);
        counts[name] = (counts[name] ?? 0) + 1;
      }
    }),
  );
  expect(Math.min(...counts), counts.join()).toBeGreaterThanOrEqual(10);
  const { ids } = await readSession(handles[0]!, "s");
  for (const [name, count] of counts.entries()) {
    expect(ids.filter((id) => id === `${name}`).length).toBe(count);
  }
});

test("an idle handle that lingers gives the lock up when another one asks", async () => {
  await using store = temporaryStore();
  const lingering = store.open({ lockLingerMs: 60_000 });
  await lingering.append("s", [{ id: "a" }]);
  const asking = store.open({ busyTimeoutMs: 2_000 });
  expect(await asking.append("s", [{ id: "b" }])).toBe(2);
  expect(await lingering.append("s", [{ id: "c" }])).toBe(3);
});

test("close() gives every lock back and ends what was issued before it", async () => {
  await using store = temporaryStore();
  const checkpointer = store.open({ lockLingerMs: 60_000 });
  const appends = ["s", "t", "s"].map((session) => checkpointer.append(session, [{ id: "a" }]));
  await checkpointer.close();
  expect(await Promise.all(appends)).toEqual([1, 1, 2]);
  expect(readdirSync(store.dir).toSorted()).toEqual(["s.jsonl", "t.jsonl"]);
});
