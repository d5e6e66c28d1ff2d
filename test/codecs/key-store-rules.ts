// What every key store promises, run on each of them. A place is where a store keeps its keys;
// opening it twice gives two handles onto the same keys.

import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SessionKeys, SessionKeyStore, WrappedKey } from "../../src/index.ts";

/** An empty place, made for one test. */
export interface KeyPlace {
  open(): SessionKeyStore;
  /** Removes everything. */
  dispose(): void | Promise<void>;
}

/** Another key each time. */
export function someKey(part: Partial<WrappedKey> = {}): WrappedKey {
  return {
    id: randomBytes(8).toString("hex"),
    wrapperId: "wrapper",
    wrapped: Uint8Array.from(randomBytes(113)),
    created: "2026-01-31T12:00:00.000Z",
    ...part,
  };
}

/** All that a store lists, in one order. */
export async function listed(store: SessionKeyStore): Promise<string[]> {
  const sessionIds: string[] = [];
  for await (const sessionId of store.list()) sessionIds.push(sessionId);
  return sessionIds.toSorted();
}

/** Session ids that a file system or a database might take for the same, or for something else. */
export const trickySessionIds: readonly string[] = [
  "a",
  "A",
  "a ",
  "a.",
  "\u00e1",
  "a\u0301",
  "\uff41",
  "..",
  "../up",
  "/root",
  "con",
  "a.jsonl",
  "a.keys",
  "%61",
  "~",
  "'; DROP TABLE keys; --",
  "\u{1f511}",
  "\n",
  "x".repeat(512),
  `${"x".repeat(511)}y`,
  "\u00e9".repeat(256),
  `${"\u00e9".repeat(255)}e`,
];

const nothing: SessionKeys = { shredded: false, keys: [] };

/** Registers the rules as tests. */
export function describeKeyStore(name: string, createPlace: () => KeyPlace): void {
  describe(`${name} keeps the rules of key stores:`, () => {
    let place: KeyPlace;
    let opened: SessionKeyStore[];
    const open = (): SessionKeyStore => {
      const store = place.open();
      opened.push(store);
      return store;
    };
    beforeEach(() => {
      place = createPlace();
      opened = [];
    });
    afterEach(async () => {
      await Promise.all(opened.map((store) => store.close()));
      await place.dispose();
    });

    test("an unknown session has no keys", async () => {
      const store = open();
      expect(await store.get("s")).toEqual(nothing);
      expect(await listed(store)).toEqual([]);
    });

    test("keys come back as they were added, oldest first", async () => {
      const store = open();
      const keys = [someKey({ wrapped: new Uint8Array(1) }), someKey(), someKey()];
      for (const key of keys) expect(await store.add("s", key)).toBe(true);
      expect(await store.get("s")).toEqual({ shredded: false, keys });
      expect(await store.get("t")).toEqual(nothing);
    });

    test("a key may be a part of a larger buffer", async () => {
      const store = open();
      const whole = randomBytes(64);
      const key = someKey({ wrapped: whole.subarray(8, 40) });
      await store.add("s", key);
      expect((await store.get("s")).keys[0]?.wrapped).toEqual(Uint8Array.from(key.wrapped));
    });

    test("a store shares no memory with its callers", async () => {
      const store = open();
      const given = someKey();
      const before = given.wrapped.slice();
      await store.add("s", given);
      given.wrapped.fill(0);
      (await store.get("s")).keys[0]?.wrapped.fill(0);
      expect((await store.get("s")).keys[0]?.wrapped).toEqual(before);
    });

    test("a key with a known id is not added again", async () => {
      const store = open();
      const key = someKey();
      await store.add("s", key);
      expect(await store.add("s", someKey({ id: key.id }))).toBe(false);
      expect(await store.get("s")).toEqual({ shredded: false, keys: [key] });
      expect(await store.add("t", key)).toBe(true);
    });

    test("replace changes wrappings in place and adds nothing", async () => {
      const store = open();
      const [first, second] = [someKey(), someKey()];
      await store.add("s", first);
      await store.add("s", second);
      const other = someKey({ id: first.id, wrapperId: "other", created: first.created });
      expect(await store.replace("s", [someKey(), other])).toBe(true);
      expect(await store.get("s")).toEqual({ shredded: false, keys: [other, second] });
      expect(await store.replace("t", [someKey()])).toBe(true);
      expect(await store.get("t")).toEqual(nothing);
    });

    test("shred leaves a tombstone that nothing is added to", async () => {
      const store = open();
      const key = someKey();
      await store.add("s", key);
      for (let time = 0; time < 2; time += 1) {
        await store.shred("s");
        expect(await store.get("s")).toEqual({ shredded: true, keys: [] });
      }
      expect(await store.add("s", someKey())).toBe(false);
      expect(await store.replace("s", [key])).toBe(false);
      expect(await store.get("s")).toEqual({ shredded: true, keys: [] });
    });

    test("a session that never had keys can be shredded, too", async () => {
      const store = open();
      await store.shred("s");
      expect(await store.get("s")).toEqual({ shredded: true, keys: [] });
      expect(await listed(store)).toEqual(["s"]);
    });

    test("revive allows new keys and brings none back", async () => {
      const store = open();
      await store.add("s", someKey());
      await store.shred("s");
      await store.revive("s");
      expect(await store.get("s")).toEqual(nothing);
      expect(await listed(store)).toEqual([]);
      const key = someKey();
      expect(await store.add("s", key)).toBe(true);
      await store.revive("s");
      await store.revive("unknown");
      expect(await store.get("s")).toEqual({ shredded: false, keys: [key] });
    });

    test("list names sessions with keys and shredded ones", async () => {
      const store = open();
      await store.add("living", someKey());
      await store.add("living", someKey());
      await store.add("dead", someKey());
      await store.shred("dead");
      expect(await listed(store)).toEqual(["dead", "living"]);
    });

    test("sessions may change while they are listed", async () => {
      const store = open();
      for (let index = 0; index < 9; index += 1) await store.add(`s${index}`, someKey());
      const seen: string[] = [];
      for await (const sessionId of store.list()) {
        seen.push(sessionId);
        await store.shred(sessionId);
      }
      expect(seen.toSorted()).toEqual(Array.from({ length: 9 }, (_, index) => `s${index}`));
    });

    test("every session id is its own", async () => {
      const store = open();
      const keys = new Map(trickySessionIds.map((sessionId) => [sessionId, someKey()]));
      for (const [sessionId, key] of keys) await store.add(sessionId, key);
      for (const [sessionId, key] of keys) {
        expect(await store.get(sessionId)).toEqual({ shredded: false, keys: [key] });
      }
      expect(await listed(store)).toEqual(trickySessionIds.toSorted());
    });

    test.each(["", "a\0b", "\ud800", "x".repeat(513)])("session id %j is refused", async (id) => {
      const store = open();
      const refused = { code: "INVALID_SESSION_ID" };
      await expect(store.get(id)).rejects.toMatchObject(refused);
      await expect(store.add(id, someKey())).rejects.toMatchObject(refused);
      await expect(store.replace(id, [])).rejects.toMatchObject(refused);
      await expect(store.shred(id)).rejects.toMatchObject(refused);
      await expect(store.revive(id)).rejects.toMatchObject(refused);
    });

    test("two handles that add at the same time both keep what they added", async () => {
      const stores = [open(), open()];
      const keys = Array.from({ length: 40 }, () => someKey());
      const added = keys.map((key, index) => stores[index % 2]!.add("s", key));
      expect(await Promise.all(added)).toEqual(keys.map(() => true));
      const found = (await open().get("s")).keys.map(({ id }) => id);
      expect(found.toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
    });

    test("of two handles that add the same key one is told so", async () => {
      const key = someKey();
      const stores = [open(), open()];
      const added = await Promise.all(stores.map((store) => store.add("s", key)));
      expect(added.map(String).toSorted()).toEqual(["false", "true"]);
    });

    test("what happens beside a shred is gone, and nothing comes after it", async () => {
      const stores = [open(), open()];
      await stores[0]!.add("s", someKey());
      const changes = stores.flatMap((store) => [
        store.add("s", someKey()),
        store.shred("s"),
        store.add("s", someKey()),
      ]);
      await Promise.all(changes);
      expect(await stores[1]!.get("s")).toEqual({ shredded: true, keys: [] });
    });

    test("close may be called twice, and ends everything else", async () => {
      const store = open();
      await store.add("s", someKey());
      await store.close();
      await store.close();
      const refused = { code: "CLOSED" };
      await expect(store.get("s")).rejects.toMatchObject(refused);
      await expect(store.add("s", someKey())).rejects.toMatchObject(refused);
      await expect(store.shred("s")).rejects.toMatchObject(refused);
      await expect(listed(store)).rejects.toMatchObject(refused);
    });

    test("any sequence of calls on two handles comes to what a map would", async () => {
      const sessionId = fc.constantFrom("s", "t");
      const call = fc.record({
        handle: fc.nat(1),
        sessionId,
        name: fc.constantFrom("add", "add", "add", "replace", "shred", "revive"),
        key: fc.constantFrom(...Array.from({ length: 6 }, (_, index) => `${index}`.repeat(16))),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
          const own = createPlace();
          const stores = [own.open(), own.open()];
          const model = new Map<string, SessionKeys>();
          try {
            for (const each of calls) {
              const key = someKey({ id: each.key });
              const before = model.get(each.sessionId) ?? nothing;
              const { after, answer } = predict(before, each.name, key);
              model.set(each.sessionId, after);
              expect(await act(stores[each.handle]!, each.name, each.sessionId, key)).toBe(answer);
              expect(await stores[0]!.get(each.sessionId)).toEqual(after);
            }
            const known = [...model].filter(
              ([, { shredded, keys }]) => shredded || keys.length > 0,
            );
            expect(await listed(stores[1]!)).toEqual(known.map(([id]) => id).toSorted());
          } finally {
            await Promise.all(stores.map((store) => store.close()));
            await own.dispose();
          }
        }),
        { numRuns: 25 },
      );
    });
  });
}

type Name = "add" | "replace" | "shred" | "revive";

function predict(
  before: SessionKeys,
  name: Name,
  key: WrappedKey,
): { after: SessionKeys; answer: boolean | undefined } {
  const { shredded, keys } = before;
  const known = keys.some(({ id }) => id === key.id);
  switch (name) {
    case "add":
      if (shredded || known) return { after: before, answer: false };
      return { after: { shredded, keys: [...keys, key] }, answer: true };
    case "replace":
      if (shredded) return { after: before, answer: false };
      return {
        after: { shredded, keys: keys.map((each) => (each.id === key.id ? key : each)) },
        answer: true,
      };
    case "shred":
      return { after: { shredded: true, keys: [] }, answer: undefined };
    case "revive":
      return { after: shredded ? nothing : before, answer: undefined };
  }
}

async function act(
  store: SessionKeyStore,
  name: Name,
  sessionId: string,
  key: WrappedKey,
): Promise<boolean | undefined> {
  switch (name) {
    case "add":
      return store.add(sessionId, key);
    case "replace":
      return store.replace(sessionId, [key]);
    case "shred":
      await store.shred(sessionId);
      return undefined;
    case "revive":
      await store.revive(sessionId);
      return undefined;
  }
}
