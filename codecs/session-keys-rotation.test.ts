// Goal: the key-encryption key can be replaced and the old one destroyed without a change to any
// log.

import { expect, test } from "vitest";
import { fileKeyStore } from "../adapters/file/index.ts";
import { sqliteKeyStore } from "../adapters/sqlite/index.ts";
import { temporaryDirectory } from "../test/codecs/key-store-children.ts";
import { failureOf } from "../test/codecs/fixtures.ts";
import {
  createGate,
  createKeyRoom,
  kek,
  logRooms,
  readAll,
  say,
  watchedWrapper,
} from "../test/codecs/session-key-fixtures.ts";
import { CheckpointError, type SessionKeyStore } from "../src/index.ts";
import { localWrapper, memoryKeyStore, type KeyWrapper } from "./index.ts";

const oldWrapper = localWrapper({ key: kek(1) });
const newWrapper = localWrapper({ key: kek(2) });
const both = localWrapper({ key: kek(2), decryptOnly: [kek(1)] });

const keyStores: ReadonlyArray<[string, () => SessionKeyStore]> = [
  ["memory", memoryKeyStore],
  ["file", () => fileKeyStore({ dir: `${temporaryDirectory()}/keys` })],
  ["sqlite", () => sqliteKeyStore({ file: `${temporaryDirectory()}/keys.db` })],
];

const pairs = logRooms.flatMap((log) =>
  keyStores.map(([name, open]) => ({ log, name: `${log.name} logs, ${name} keys`, open })),
);

test.each(pairs)(
  "$name: everything is readable after a rotation, and no log changed",
  async (pair) => {
    const log = pair.log.create();
    const room = createKeyRoom(pair.open());
    const sessions = ["a", "b", "c"];
    const before = log.open(room.open({ wrapper: oldWrapper }));
    for (const session of sessions) {
      await before.append(session, [say(`${session} 1`), say(`${session} 2`)]);
    }
    const stored = await Promise.all(sessions.map((session) => log.payloads(session)));

    // First everybody can read both, and writes with the new one.
    const during = room.open({ wrapper: both });
    await log.open(during).append("a", [say("a 3")]);
    await log.open(during).append("d", [say("d 1")]);
    const { keys } = await room.store.get("a");
    expect(keys.map(({ wrapperId }) => wrapperId)).toEqual([oldWrapper.id]);

    // Then everything is wrapped anew, and the old KEK may go.
    expect(await during.rewrap()).toEqual({ sessions: 3, keys: 3 });
    expect(await during.rewrap()).toEqual({ sessions: 0, keys: 0 });
    const after = log.open(room.open({ wrapper: newWrapper }));
    for (const session of sessions) {
      const more = session === "a" ? ["a 3"] : [];
      expect(await readAll(after, session)).toEqual([`${session} 1`, `${session} 2`, ...more]);
    }
    await after.append("b", [say("b 3")]);
    expect(await readAll(after, "b")).toEqual(["b 1", "b 2", "b 3"]);
    for (const [index, session] of sessions.entries()) {
      expect((await log.payloads(session)).slice(0, 2)).toEqual(stored[index]);
    }
    // The old KEK opens nothing any more.
    const former = log.open(room.open({ wrapper: oldWrapper }));
    expect(await failureOf(() => readAll(former, "b"))).toMatchObject({ code: "KEY_UNKNOWN" });
  },
);

test("former wrappers can be given one by one", async () => {
  const room = createKeyRoom();
  const { id } = await room.open({ wrapper: oldWrapper }).current("s", 1);
  const keys = room.open({ wrapper: newWrapper, wrappers: [oldWrapper] });
  expect((await keys.find("s", id)).id).toBe(id);
  expect(await keys.rewrap("s")).toEqual({ sessions: 1, keys: 1 });
  expect((await room.open({ wrapper: newWrapper }).find("s", id)).id).toBe(id);
});

test("a rotation of one session leaves the others", async () => {
  const room = createKeyRoom();
  const before = room.open({ wrapper: oldWrapper });
  await before.current("a", 1);
  await before.current("b", 1);
  await before.renew("b");
  const keys = room.open({ wrapper: both });
  expect(await keys.rewrap("b")).toEqual({ sessions: 1, keys: 2 });
  expect(await keys.rewrap("unknown")).toEqual({ sessions: 0, keys: 0 });
  expect((await room.store.get("a")).keys[0]?.wrapperId).toBe(oldWrapper.id);
});

test("a rotation keeps ids, order and dates of keys", async () => {
  const room = createKeyRoom();
  const before = room.open({ wrapper: oldWrapper });
  for (let index = 0; index < 3; index += 1) await before.renew("s");
  const old = (await room.store.get("s")).keys;
  await room.open({ wrapper: both }).rewrap();
  const keys = (await room.store.get("s")).keys;
  const outside = ({ id, created }: (typeof keys)[number]) => ({ id, created });
  expect(keys.map(outside)).toEqual(old.map(outside));
  expect(new Set(keys.map(({ wrapperId }) => wrapperId))).toEqual(new Set([newWrapper.id]));
});

test.each(["get", "replace", "wrap", "unwrap"] as const)(
  "a rotation that %s interrupts anywhere goes on where it stopped",
  async (failing) => {
    const room = createKeyRoom();
    const before = room.open({ wrapper: oldWrapper });
    const ids = new Map<string, string>();
    for (const session of ["a", "b", "c", "d", "e"]) {
      ids.set(session, (await before.current(session, 1)).id);
    }
    let done = 0;
    for (let allowed = 1; done < 5; allowed += 1) {
      let calls = 0;
      room.watch.before = (name) => {
        if (name !== failing) return;
        calls += 1;
        if (calls > allowed) throw new Error("503");
      };
      const keys = room.open({ wrapper: watchedWrapper(both, room.watch) });
      const result = await failureOf(async () => {
        const report = await keys.rewrap();
        done += report.sessions;
        throw new CheckpointError("CLOSED", "done");
      });
      room.watch.before = () => undefined;
      if ((result as CheckpointError).code !== "CLOSED") {
        expect(result).toMatchObject({ code: "KEY_UNAVAILABLE", retryable: true });
      }
      const wrapped = await Promise.all([...ids.keys()].map((id) => room.store.get(id)));
      done = wrapped.filter(({ keys: [key] }) => key?.wrapperId === newWrapper.id).length;
      // Every key is there at every moment, and readable with both wrappers.
      for (const [session, id] of ids) {
        expect((await room.open({ wrapper: both }).find(session, id)).id).toBe(id);
      }
      expect(allowed).toBeLessThan(20);
    }
  },
);

test("a rotation stops at the first call that fails for now", async () => {
  const room = createKeyRoom();
  const before = room.open({ wrapper: oldWrapper });
  for (const session of ["a", "b", "c"]) await before.current(session, 1);
  room.watch.before = (name) => {
    if (name === "unwrap") throw new Error("503");
  };
  const keys = room.open({ wrapper: watchedWrapper(both, room.watch) });
  await expect(keys.rewrap()).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
  expect(room.watch.count("unwrap")).toBe(1);
});

test("a key that nobody can open is reported and does not keep the others", async () => {
  const room = createKeyRoom();
  const before = room.open({ wrapper: oldWrapper });
  for (const session of ["a", "b", "c"]) await before.current(session, 1);
  await before.renew("b");
  const [broken] = (await room.store.get("b")).keys;
  await room.store.replace("b", [{ ...broken!, wrapped: new Uint8Array(113).fill(1) }]);
  const { id } = await room.open({ wrapper: localWrapper({ key: kek(9) }) }).current("lost", 1);
  const keys = room.open({ wrapper: both });
  const error = (await failureOf(() => keys.rewrap())) as CheckpointError;
  expect(error.retryable).toBe(false);
  expect(["KEY_UNKNOWN", "WRONG_KEY"]).toContain(error.code);
  expect(error.message).toContain("3 were re-wrapped and 2 are left");
  const left: string[] = [];
  for (const session of ["a", "b", "c", "lost"]) {
    for (const key of (await room.store.get(session)).keys) {
      if (key.wrapperId !== newWrapper.id) left.push(key.id);
    }
  }
  expect(left.toSorted()).toEqual([broken!.id, id].toSorted());
});

test("a wrapper that cannot open what it wraps replaces nothing", async () => {
  const room = createKeyRoom();
  await room.open({ wrapper: oldWrapper }).current("s", 1);
  const before = await room.store.get("s");
  const lossy: KeyWrapper = { ...newWrapper, wrap: async () => new Uint8Array(113).fill(7) };
  const keys = room.open({ wrapper: lossy, wrappers: [oldWrapper] });
  expect(await failureOf(() => keys.rewrap())).toMatchObject({ retryable: false });
  expect(await room.store.get("s")).toEqual(before);
});

test("a rotation stops at its signal, between two sessions", async () => {
  const room = createKeyRoom();
  const before = room.open({ wrapper: oldWrapper });
  for (const session of ["a", "b", "c"]) await before.current(session, 1);
  const controller = new AbortController();
  const reason = new Error("enough");
  room.watch.before = (name) => {
    if (name === "replace") controller.abort(reason);
  };
  const keys = room.open({ wrapper: both });
  await expect(keys.rewrap(undefined, { signal: controller.signal })).rejects.toBe(reason);
  await expect(keys.rewrap("a", { signal: controller.signal })).rejects.toBe(reason);
  room.watch.before = () => undefined;
  expect(await keys.rewrap()).toEqual({ sessions: 2, keys: 2 });
});

test("a session that is shredded beside a rotation stays shredded", async () => {
  const room = createKeyRoom();
  await room.open({ wrapper: oldWrapper }).current("s", 1);
  const keys = room.open({ wrapper: both });
  const gate = createGate();
  room.watch.before = (name) => (name === "replace" ? gate.pass() : undefined);
  const rotation = keys.rewrap();
  await expect.poll(gate.waiting).toBe(1);
  await keys.shred("s");
  gate.open();
  expect(await rotation).toEqual({ sessions: 0, keys: 0 });
  expect(await room.store.get("s")).toEqual({ shredded: true, keys: [] });
  expect(await keys.rewrap()).toEqual({ sessions: 0, keys: 0 });
});

test("a store that never finishes its list does not hang a rotation", async () => {
  const room = createKeyRoom();
  const keys = room.open({
    timeoutMs: 20,
    store: {
      ...room.store,
      async *list() {
        yield "a";
        await new Promise(() => undefined);
      },
    },
  });
  await expect(keys.rewrap()).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
});
