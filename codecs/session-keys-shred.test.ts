// Goal: a shredded session is unreadable at once here and within the cache's age elsewhere, for
// ever, and no other session notices.

import { afterEach, expect, test, vi } from "vitest";
import { failureOf } from "../test/codecs/fixtures.ts";
import {
  createGate,
  createKeyRoom,
  logRooms,
  readAll,
  say,
} from "../test/codecs/session-key-fixtures.ts";

afterEach(() => void vi.useRealTimers());

const shredded = { code: "KEY_SHREDDED", retryable: false };

test.each(logRooms)("a shredded session of $name logs is KEY_SHREDDED for all", async (kind) => {
  const log = kind.create();
  const room = createKeyRoom();
  const keys = room.open();
  const checkpointer = log.open(keys);
  await checkpointer.append("s", [say("secret"), say("more")]);
  await checkpointer.append("t", [say("other")]);
  const stored = await log.payloads("s");

  await keys.shred("s");
  for (const handle of [checkpointer, log.open(keys), log.open(room.open())]) {
    expect(await failureOf(() => readAll(handle, "s"))).toMatchObject(shredded);
    await expect(handle.append("s", [say("late")])).rejects.toMatchObject(shredded);
    expect(await readAll(handle, "t")).toEqual(["other"]);
  }
  expect(await log.payloads("s")).toEqual(stored);
  await checkpointer.append("t", [say("goes on")]);
  expect(await readAll(checkpointer, "t")).toEqual(["other", "goes on"]);
});

test.each(logRooms)(
  "a revived session of $name logs begins anew and reads nothing old",
  async (kind) => {
    const log = kind.create();
    const room = createKeyRoom();
    const keys = room.open();
    const checkpointer = log.open(keys);
    await checkpointer.append("s", [say("secret")]);
    await keys.shred("s");
    await keys.revive("s");
    expect(await failureOf(() => readAll(checkpointer, "s"))).toMatchObject({
      code: "KEY_UNKNOWN",
    });
    await checkpointer.delete("s");
    await checkpointer.append("s", [say("new")]);
    expect(await readAll(checkpointer, "s")).toEqual(["new"]);
    expect(await readAll(log.open(room.open()), "s")).toEqual(["new"]);
  },
);

test("a session can be shredded before it has a key", async () => {
  const room = createKeyRoom();
  const keys = room.open();
  await keys.shred("s");
  for (const use of [
    () => keys.current("s", 1),
    () => keys.current("s", 2),
    () => keys.renew("s"),
  ]) {
    expect(await failureOf(use)).toMatchObject(shredded);
  }
  expect((await room.store.get("s")).keys).toEqual([]);
});

test.each(["current at seq 1", "current at seq 2", "find"] as const)(
  "a shred reaches a load that is already on its way: %s",
  async (use) => {
    const room = createKeyRoom();
    const first = await room.open().current("s", 1);
    const keys = room.open();
    const gate = createGate();
    const calls = use === "current at seq 1" ? ["add"] : ["unwrap"];
    room.watch.before = (name) => (calls.includes(name) ? gate.pass() : undefined);
    const load = (): unknown => {
      if (use === "find") return keys.find("s", first.id);
      return keys.current("s", use === "current at seq 1" ? 1 : 2);
    };
    // With a second one that joins the first.
    const [loading, joined] = [failureOf(load), failureOf(load)];
    await expect.poll(gate.waiting).toBeGreaterThan(0);
    await keys.shred("s");
    gate.open();
    expect(await loading).toMatchObject(shredded);
    expect(await joined).toMatchObject(shredded);
    expect(keys.stats().cached).toBe(0);
  },
);

test("a shred reaches a key that was stored a moment before it", async () => {
  const room = createKeyRoom();
  const gate = createGate();
  const keys = room.open({
    store: {
      ...room.store,
      async add(sessionId, key) {
        const added = await room.store.add(sessionId, key);
        await gate.pass();
        return added;
      },
      close: async () => undefined,
    },
  });
  const adding = failureOf(() => keys.current("s", 1));
  await expect.poll(gate.waiting).toBe(1);
  const [key] = (await room.store.get("s")).keys;
  await keys.shred("s");
  gate.open();
  expect(await adding).toMatchObject(shredded);
  expect(await failureOf(() => keys.find("s", key!.id))).toMatchObject(shredded);
  expect(keys.stats().cached).toBe(0);
});

test("other processes go on for as long as they remember, and no longer", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const room = createKeyRoom();
  const [ours, theirs] = [room.open(), room.open({ cache: { maxAgeMs: 1_000 } })];
  const { id } = await theirs.current("s", 1);
  await ours.shred("s");
  expect((await theirs.find("s", id)).id).toBe(id);
  vi.advanceTimersByTime(1_000);
  expect(await failureOf(() => theirs.find("s", id))).toMatchObject(shredded);
  expect(await failureOf(() => theirs.current("s", 2))).toMatchObject(shredded);
});

test("a process without a memory notices at once", async () => {
  const room = createKeyRoom();
  const theirs = room.open({ cache: { maxAgeMs: 0 } });
  const { id } = await theirs.current("s", 1);
  await room.open().shred("s");
  expect(await failureOf(() => theirs.find("s", id))).toMatchObject(shredded);
});

test("a shred that fails says so, forgets nevertheless, and can be called again", async () => {
  const room = createKeyRoom();
  const keys = room.open();
  await keys.current("s", 1);
  room.watch.before = (name) => {
    if (name === "shred") throw new Error("503");
  };
  const unavailable = { code: "KEY_UNAVAILABLE", retryable: true };
  await expect(keys.shred("s")).rejects.toMatchObject(unavailable);
  expect(keys.stats().cached).toBe(0);
  room.watch.before = () => undefined;
  await keys.shred("s");
  expect(await room.store.get("s")).toEqual({ shredded: true, keys: [] });
});

test("many shreds do not keep the load of another session from ending", async () => {
  const room = createKeyRoom();
  await room.open().current("s", 1);
  const keys = room.open();
  const gate = createGate();
  let unwraps = 0;
  room.watch.before = (name) => {
    if (name !== "unwrap") return undefined;
    unwraps += 1;
    return gate.pass();
  };
  const loading = keys.current("s", 2);
  await expect.poll(gate.waiting).toBe(1);
  for (let index = 0; index < 50; index += 1) await keys.shred(`t${index}`);
  gate.open();
  await loading;
  expect(unwraps).toBe(1);
});
