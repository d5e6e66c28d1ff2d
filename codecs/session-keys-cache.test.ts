// Goal: a key is unwrapped once, however many ask for it at once, and no longer kept than allowed.

import { afterEach, expect, test, vi } from "vitest";
import {
  createGate,
  createKeyRoom,
  logRooms,
  readAll,
  say,
} from "../test/codecs/session-key-fixtures.ts";

afterEach(() => void vi.useRealTimers());

test("64 cold uses of a key at the same time make one look and one unwrapping", async () => {
  const room = createKeyRoom();
  const { id } = await room.open().current("s", 1);
  room.watch.calls.length = 0;
  const keys = room.open();
  const found = await Promise.all(Array.from({ length: 64 }, async () => keys.find("s", id)));
  expect(new Set(found.map((key) => key.id))).toEqual(new Set([id]));
  expect(room.watch.calls).toEqual(["get", "unwrap"]);
  expect(keys.stats()).toEqual({ hits: 0, misses: 64, reads: 1, wraps: 0, unwraps: 1, cached: 1 });
  await keys.find("s", id);
  expect(keys.stats()).toMatchObject({ hits: 1, misses: 64 });
});

test("64 appends and 64 reads at the same time make one unwrapping", async () => {
  const room = createKeyRoom();
  const { id } = await room.open().current("s", 1);
  room.watch.calls.length = 0;
  const keys = room.open();
  const uses = Array.from({ length: 128 }, async (_, index) =>
    index % 2 === 0 ? keys.current("s", index + 2) : keys.find("s", id),
  );
  await Promise.all(uses);
  expect(room.watch.count("unwrap")).toBe(1);
  expect(room.watch.count("get")).toBe(2);
});

test("64 first records at the same time make one key", async () => {
  const room = createKeyRoom();
  const keys = room.open();
  const made = await Promise.all(Array.from({ length: 64 }, async () => keys.current("s", 1)));
  expect(new Set(made).size).toBe(1);
  expect(room.watch.calls).toEqual(["get", "wrap", "unwrap", "add"]);
  // The first wrapping of a source is opened once, to prove the wrapper.
  await keys.current("t", 1);
  expect(room.watch.calls.slice(4)).toEqual(["get", "wrap", "add"]);
});

test.each(logRooms)("64 handles onto one session in $name make one unwrapping", async (kind) => {
  const log = kind.create();
  const room = createKeyRoom();
  await log.open(room.open()).append("s", [say("first")]);
  const slow = createGate();
  room.watch.calls.length = 0;
  room.watch.before = (name) => (name === "unwrap" ? slow.pass() : undefined);
  const keys = room.open();
  const handles = Array.from({ length: 64 }, () => log.open(keys));
  const appends = handles.map((handle, index) => handle.append("s", [say(String(index))]));
  const reads = handles.map((handle) => readAll(handle, "s"));
  await expect.poll(slow.waiting).toBe(1);
  slow.open();
  await Promise.all([...appends, ...reads]);
  expect(room.watch.count("unwrap")).toBe(1);
  expect((await readAll(handles[0]!, "s")).length).toBe(65);
});

test("keys are asked for again when they are old enough", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const room = createKeyRoom();
  const keys = room.open({ cache: { maxAgeMs: 1_000 } });
  const { id } = await keys.current("s", 1);
  room.watch.calls.length = 0;
  vi.advanceTimersByTime(999);
  await keys.find("s", id);
  await keys.current("s", 2);
  expect(room.watch.calls).toEqual([]);
  vi.advanceTimersByTime(1);
  await keys.current("s", 2);
  expect(room.watch.calls).toEqual(["get", "unwrap"]);
});

test("a process notices another one's renewal when its memory is old enough", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const room = createKeyRoom();
  const keys = room.open({ cache: { maxAgeMs: 1_000 } });
  const { id: before } = await keys.current("s", 1);
  const id = await room.open().renew("s");
  for (let step = 0; step < 9; step += 1) {
    vi.advanceTimersByTime(110);
    // However often the old key is read with.
    await keys.find("s", before);
    expect((await keys.current("s", 2)).id).toBe(before);
  }
  vi.advanceTimersByTime(110);
  expect((await keys.current("s", 2)).id).toBe(id);
});

test("a cache of age 0 asks every time", async () => {
  const room = createKeyRoom();
  const keys = room.open({ cache: { maxAgeMs: 0 } });
  const { id } = await keys.current("s", 1);
  for (let use = 0; use < 3; use += 1) expect((await keys.find("s", id)).id).toBe(id);
  expect(keys.stats()).toMatchObject({ hits: 0, misses: 4, reads: 4, unwraps: 4, cached: 0 });
});

test("a key serves maxUses records and is unwrapped again for the next", async () => {
  const room = createKeyRoom();
  const keys = room.open({ cache: { maxUses: 10 } });
  const { id } = await room.open().current("s", 1);
  room.watch.calls.length = 0;
  for (let use = 0; use < 100; use += 1) await keys.find("s", id);
  expect(room.watch.count("unwrap")).toBe(10);
});

test("no more than maxKeys keys are in memory", async () => {
  const room = createKeyRoom();
  const keys = room.open({ cache: { maxKeys: 3 } });
  for (let session = 0; session < 20; session += 1) {
    await keys.current(`s${session}`, 1);
    expect(keys.stats().cached).toBeLessThanOrEqual(3);
  }
  expect(keys.stats().cached).toBe(3);
});
