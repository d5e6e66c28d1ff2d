import { inspect } from "node:util";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { failureOf } from "../test/codecs/fixtures.ts";
import { createGate, createKeyRoom, kek } from "../test/codecs/session-key-fixtures.ts";
import { CheckpointError } from "../src/index.ts";
import { localWrapper, memoryKeyStore, sessionKeys, type KeyWrapper } from "./index.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const idsIn = async (room: ReturnType<typeof createKeyRoom>, sessionId = "s"): Promise<string[]> =>
  (await room.store.get(sessionId)).keys.map(({ id }) => id);

test("a key is stored before anybody gets it", async () => {
  const room = createKeyRoom();
  const gate = createGate();
  room.watch.before = (name) => (name === "add" ? gate.pass() : undefined);
  let got = false;
  const key = Promise.resolve(room.open().current("s", 1)).then((current) => {
    got = true;
    return current.id;
  });
  await expect.poll(gate.waiting).toBe(1);
  expect(got).toBe(false);
  expect(await idsIn(room)).toEqual([]);
  gate.open();
  const id = await key;
  expect(await idsIn(room)).toEqual([id]);
});

test("a life goes on with the key it began with, in every process", async () => {
  const room = createKeyRoom();
  const keys = room.open();
  const { id } = await keys.current("s", 1);
  for (let seq = 2; seq < 9; seq += 1) expect((await keys.current("s", seq)).id).toBe(id);
  expect((await room.open().current("s", 9)).id).toBe(id);
  expect(await idsIn(room)).toEqual([id]);
});

test("sessions have keys of their own", async () => {
  const keys = createKeyRoom().open();
  const ids = await Promise.all(["a", "b", "c"].map(async (id) => (await keys.current(id, 1)).id));
  expect(new Set(ids).size).toBe(3);
});

test("a session that has no key yet gets one at any seq", async () => {
  const room = createKeyRoom();
  const { id } = await room.open().current("s", 7);
  expect(await idsIn(room)).toEqual([id]);
  expect((await room.open().current("s", 8)).id).toBe(id);
});

test.each([
  ["in memory", {}],
  ["used up", { maxUses: 8 }],
  ["never in memory", { maxAgeMs: 0 }],
])("attempts at a first record reuse a key that is %s", async (_name, cache) => {
  const room = createKeyRoom();
  const keys = room.open({ cache });
  const { id } = await keys.current("s", 1);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    expect((await keys.current("s", 1)).id).toBe(id);
    expect((await keys.current("s", 2)).id).toBe(id);
  }
  expect(await idsIn(room)).toEqual([id]);
});

test("a life that begins after a record was met has a key of its own", async () => {
  const room = createKeyRoom();
  const keys = room.open();
  const first = await keys.current("s", 1);
  expect(await keys.find("s", first.id)).toBe(first);
  const second = await keys.current("s", 1);
  expect(second.id).not.toBe(first.id);
  expect(await idsIn(room)).toEqual([first.id, second.id]);
  expect(await keys.current("s", 2)).toBe(second);
});

test("a life that another process begins has a key of its own", async () => {
  const room = createKeyRoom();
  const first = await room.open().current("s", 1);
  const second = await room.open().current("s", 1);
  expect(await idsIn(room)).toEqual([first.id, second.id]);
});

test("processes that begin a life in vain leave a bounded number of keys", async () => {
  const room = createKeyRoom();
  const ids = new Set<string>();
  for (let process = 0; process < 130; process += 1) {
    ids.add((await room.open().current("s", 1)).id);
  }
  expect(await idsIn(room)).toHaveLength(100);
  expect(ids.size).toBe(100);
  // Which is no bound for keys that are asked for.
  await room.open().renew("s");
  expect(await idsIn(room)).toHaveLength(101);
});

test("two processes that create a session at once can both read what the other wrote", async () => {
  const room = createKeyRoom();
  const [left, right] = [room.open(), room.open()];
  const gate = createGate();
  room.watch.before = (name) => (name === "add" ? gate.pass() : undefined);
  const racing = [left, right].map(async (keys) => keys.current("s", 1));
  await expect.poll(gate.waiting).toBe(2);
  gate.open();
  const [ours, theirs] = await Promise.all(racing);
  expect((await idsIn(room)).toSorted()).toEqual([ours!.id, theirs!.id].toSorted());
  expect((await left.find("s", theirs!.id)).id).toBe(theirs!.id);
  expect((await right.find("s", ours!.id)).id).toBe(ours!.id);
});

test("renew seals what follows with another key and leaves the others", async () => {
  const room = createKeyRoom();
  const keys = room.open();
  const first = await keys.current("s", 1);
  const id = await keys.renew("s");
  expect(id).not.toBe(first.id);
  expect((await keys.current("s", 2)).id).toBe(id);
  expect((await room.open().current("s", 3)).id).toBe(id);
  // A rewrite of the whole log, which begins at seq 1 again.
  expect((await keys.current("s", 1)).id).toBe(id);
  expect((await keys.find("s", first.id)).id).toBe(first.id);
});

test("renew reaches a load that is already on its way", async () => {
  const room = createKeyRoom();
  await room.open().current("s", 1);
  const keys = room.open();
  const gate = createGate();
  let held = false;
  room.watch.before = (name) => {
    if (name !== "unwrap" || held) return undefined;
    held = true;
    return gate.pass();
  };
  const loading = keys.current("s", 2);
  await expect.poll(gate.waiting).toBe(1);
  const id = await keys.renew("s");
  gate.open();
  expect((await loading).id).toBe(id);
  expect((await keys.current("s", 3)).id).toBe(id);
});

test("a key that nobody stored is unknown, and asked for again the next time", async () => {
  const room = createKeyRoom();
  const keys = room.open();
  await keys.current("s", 1);
  for (let time = 1; time <= 3; time += 1) {
    const error = await failureOf(() => keys.find("s", "0".repeat(16)));
    expect(error).toMatchObject({ code: "KEY_UNKNOWN", retryable: false });
    expect(room.watch.count("get")).toBe(1 + time);
  }
  const { id } = await room.open().current("s", 1);
  expect((await keys.find("s", id)).id).toBe(id);
});

test("a key that appears while another look finds nothing is found", async () => {
  const room = createKeyRoom();
  const keys = room.open();
  const added = await room.open().current("other", 1);
  const [wrapped] = (await room.store.get("other")).keys;
  const gate = createGate();
  let looks = 0;
  const slow = room.open({
    wrapper: localWrapper({ key: kek(1) }),
    store: {
      ...room.store,
      async get(sessionId) {
        looks += 1;
        const seen = await room.store.get(sessionId);
        if (looks === 1) await gate.pass();
        return seen;
      },
      close: async () => undefined,
    },
  });
  const early = slow.find("other2", added.id);
  await expect.poll(gate.waiting).toBe(1);
  await room.store.add("other2", wrapped!);
  const late = slow.find("other2", added.id);
  gate.open();
  await expect(early).rejects.toMatchObject({ code: "KEY_UNKNOWN" });
  // Its wrapping is another session's, which is looked at only once it is found.
  await expect(late).rejects.toMatchObject({ code: "WRONG_KEY" });
  expect(looks).toBe(2);
  await keys.close();
});

test("the context of a wrapped key names everything that it belongs to", async () => {
  const contexts: unknown[] = [];
  const inner = localWrapper({ key: kek(1) });
  const wrapper: KeyWrapper = {
    ...inner,
    wrap: (key, context, signal) => {
      contexts.push(context);
      return inner.wrap(key, context, signal);
    },
  };
  const keys = createKeyRoom().open({ wrapper, namespace: "tenant" });
  const { id: keyId } = await keys.current("s", 1);
  const context = { purpose: "session-key", namespace: "tenant", sessionId: "s", keyId };
  expect(contexts).toEqual([context]);
});

test.each([
  ["another session", "t", {}],
  ["another namespace", "s", { namespace: "other" }],
  [
    "another KEK under the same id",
    "s",
    { wrapper: { ...localWrapper({ key: kek(2) }), id: localWrapper({ key: kek(1) }).id } },
  ],
] as const)("a key for %s is refused", async (_name, sessionId, options) => {
  const room = createKeyRoom();
  const { id } = await room.open().current("s", 1);
  const [wrapped] = (await room.store.get("s")).keys;
  if (sessionId !== "s") await room.store.add(sessionId, wrapped!);
  const error = await failureOf(() => room.open(options).find(sessionId, id));
  expect(error).toMatchObject({ retryable: false });
  expect(["WRONG_KEY", "KEY_UNKNOWN"]).toContain((error as CheckpointError).code);
});

test("a wrapping under another id is refused", async () => {
  const room = createKeyRoom();
  await room.open().current("s", 1);
  const [wrapped] = (await room.store.get("s")).keys;
  // A wrapper that does not look at the context cannot hide it.
  const careless: KeyWrapper = {
    id: localWrapper({ key: kek(1) }).id,
    wrap: async (key) => key.slice(),
    unwrap: async () => new Uint8Array(32).fill(9),
  };
  const error = await failureOf(() => room.open({ wrapper: careless }).find("s", wrapped!.id));
  expect(error).toMatchObject({ code: "WRONG_KEY", retryable: false });
});

test("a key of a wrapper that is not configured is unknown", async () => {
  const room = createKeyRoom();
  const { id } = await room.open().current("s", 1);
  const keys = room.open({ wrapper: localWrapper({ key: kek(2) }) });
  const error = await failureOf(() => keys.find("s", id));
  expect(error).toMatchObject({ code: "KEY_UNKNOWN", retryable: false });
  expect(await failureOf(() => keys.current("s", 2))).toMatchObject({ code: "KEY_UNKNOWN" });
});

test.each([
  ["does not open what it wrapped", { unwrap: async () => new Uint8Array(32) }, "WRONG_KEY"],
  ["opens too little", { unwrap: async () => new Uint8Array(31) }, "WRONG_KEY"],
  ["refuses what it wrapped", { unwrap: refusing("WRONG_KEY") }, "WRONG_KEY"],
  ["cannot be asked", { unwrap: refusing("KEY_UNAVAILABLE") }, "KEY_UNAVAILABLE"],
  ["wraps into nothing", { wrap: async () => new Uint8Array(0) }, "KEY_UNAVAILABLE"],
  ["wraps into too much", { wrap: async () => new Uint8Array(16_385) }, "KEY_UNAVAILABLE"],
  ["wraps into text", { wrap: async () => "wrapped" as unknown as Uint8Array }, "KEY_UNAVAILABLE"],
])("a wrapper that %s is found out before any key depends on it", async (_name, part, code) => {
  const room = createKeyRoom();
  const keys = room.open({ wrapper: { ...localWrapper({ key: kek(1) }), ...part } });
  expect(await failureOf(() => keys.current("s", 1))).toMatchObject({ code });
  expect(await idsIn(room)).toEqual([]);
});

function refusing(code: "WRONG_KEY" | "KEY_UNAVAILABLE") {
  return (): Promise<Uint8Array> => Promise.reject(new CheckpointError(code, "no"));
}

test("a wrapper may give and take Buffers, and spoil what it is lent", async () => {
  const room = createKeyRoom();
  const inner = localWrapper({ key: kek(1) });
  const wrapper: KeyWrapper = {
    id: inner.id,
    async wrap(key, context) {
      const wrapped = Buffer.from(await inner.wrap(key, context));
      key.fill(255);
      return wrapped;
    },
    unwrap: async (wrapped, context) => Buffer.from(await inner.unwrap(wrapped, context)),
  };
  const { id } = await room.open({ wrapper }).current("s", 1);
  expect((await room.open({ wrapper }).find("s", id)).id).toBe(id);
  expect((await room.open().find("s", id)).id).toBe(id);
});

test("keys that were lent are overwritten", async () => {
  const lent: Uint8Array[] = [];
  const inner = localWrapper({ key: kek(1) });
  const wrapper: KeyWrapper = {
    ...inner,
    async wrap(key, context) {
      lent.push(key);
      return inner.wrap(key, context);
    },
    async unwrap(wrapped, context) {
      const key = await inner.unwrap(wrapped, context);
      lent.push(key);
      return key;
    },
  };
  const room = createKeyRoom();
  const { id } = await room.open({ wrapper }).current("s", 1);
  await room.open({ wrapper }).find("s", id);
  expect(lent).toHaveLength(3);
  for (const key of lent) expect(key).toEqual(new Uint8Array(32));
});

test("a random source that makes a key twice is found out", async () => {
  const room = createKeyRoom();
  const keys = room.open();
  const real = crypto.getRandomValues.bind(crypto);
  vi.spyOn(crypto, "getRandomValues").mockImplementation((array) =>
    array instanceof Uint8Array && array.length === 32 ? array.fill(7) : real(array),
  );
  await keys.renew("s");
  await expect(keys.renew("s")).rejects.toMatchObject({ code: "RNG_FAULT" });
  expect(await idsIn(room)).toHaveLength(1);
});

test("close ends what is running, closes the store, and comes before nothing", async () => {
  const store = memoryKeyStore();
  const closeStore = vi.fn(() => store.close());
  const gate = createGate();
  let aborted = false;
  const inner = localWrapper({ key: kek(1) });
  const keys = sessionKeys({
    store: { ...store, close: closeStore },
    wrapper: {
      ...inner,
      wrap(key, context, signal) {
        signal?.addEventListener("abort", () => void (aborted = true));
        return gate.pass().then(() => inner.wrap(key, context));
      },
    },
  });
  const running = failureOf(() => keys.current("s", 1));
  await expect.poll(gate.waiting).toBe(1);
  await Promise.all([keys.close(), keys.close()]);
  expect(aborted).toBe(true);
  expect(await running).toMatchObject({ code: "CLOSED" });
  expect(closeStore).toHaveBeenCalledTimes(1);
  const closed = { code: "CLOSED" };
  expect(() => keys.current("s", 1)).toThrow(expect.objectContaining(closed) as Error);
  expect(() => keys.find("s", "0".repeat(16))).toThrow(expect.objectContaining(closed) as Error);
  for (const call of [keys.shred("s"), keys.revive("s"), keys.renew("s"), keys.rewrap()]) {
    await expect(call).rejects.toMatchObject(closed);
  }
  expect(keys.stats().cached).toBe(0);
  gate.open();
});

test("a source can be disposed of", async () => {
  const keys = createKeyRoom().open();
  await keys[Symbol.asyncDispose]();
  expect(() => keys.current("s", 1)).toThrow("closed");
});

test.each([
  ["store", {}],
  ["wrapper", undefined],
  ["wrapper", { id: "", wrap: async () => kek(1), unwrap: async () => kek(1) }],
  ["wrapper", { id: "x" }],
  ["wrappers", [localWrapper({ key: kek(1) })]],
  ["namespace", "\ud800"],
  ["namespace", 7],
  ["onFailure", "log"],
] as ReadonlyArray<readonly [string, unknown]>)("%s: %j is a TypeError", (name, value) => {
  expect(() => createWith(name, value)).toThrow(TypeError);
});

test.each([
  ["timeoutMs", 0],
  ["timeoutMs", 2 ** 31],
  ["timeoutMs", "soon"],
  ["cache", { maxAgeMs: -1 }],
  ["cache", { maxAgeMs: Number.NaN }],
  ["cache", { maxKeys: 0 }],
  ["cache", { maxUses: 0.5 }],
] as ReadonlyArray<readonly [string, unknown]>)("%s: %j is a RangeError", (name, value) => {
  expect(() => createWith(name, value)).toThrow(RangeError);
});

function createWith(name: string, value: unknown): unknown {
  const options = { store: memoryKeyStore(), wrapper: localWrapper({ key: kek(1) }) };
  return sessionKeys({ ...options, [name]: value });
}

test("session ids are checked where they come from a caller", async () => {
  const keys = createKeyRoom().open();
  const refused = { code: "INVALID_SESSION_ID" };
  for (const call of [keys.shred(""), keys.revive(""), keys.renew(""), keys.rewrap("")]) {
    await expect(call).rejects.toMatchObject(refused);
  }
});

test("a source prints as the id of its wrapper", async () => {
  const keys = createKeyRoom().open();
  await keys.current("s", 1);
  const shown = `SessionKeySource ${localWrapper({ key: kek(1) }).id}`;
  expect(inspect(keys, { depth: null, showHidden: true })).toBe(shown);
  expect(JSON.stringify({ keys })).toBe(JSON.stringify({ keys: shown }));
  expect(String(keys as unknown)).toBe(shown);
});

test("whatever happens in whatever order, a key that was handed out can be found", async () => {
  const step = fc.record({
    process: fc.nat(2),
    session: fc.constantFrom("a", "b"),
    act: fc.constantFrom("first", "next", "find", "renew", "rewrap", "fail", "restart"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const room = createKeyRoom();
      const open = (index: number) =>
        room.open({
          // Processes that are at different stages of a rotation.
          wrapper: localWrapper({
            key: kek(index === 2 ? 2 : 1),
            decryptOnly: [kek(index === 2 ? 1 : 2)],
          }),
          cache: { maxUses: 3 },
        });
      const processes = [0, 1, 2].map(open);
      const handedOut: Array<{ session: string; id: string }> = [];
      for (const { process: index, session, act } of steps) {
        const keys = processes[index]!;
        if (act === "restart") processes[index] = open(index);
        else if (act === "find") {
          const known = handedOut.find((each) => each.session === session);
          if (known !== undefined) await keys.find(session, known.id);
        } else if (act === "rewrap") await keys.rewrap();
        else if (act === "fail") {
          room.watch.before = (name) => {
            if (name === "add") throw new Error("disk full");
          };
          await failureOf(() => keys.renew(session));
          room.watch.before = () => undefined;
        } else {
          const id =
            act === "renew"
              ? await keys.renew(session)
              : (await keys.current(session, act === "first" ? 1 : 2)).id;
          handedOut.push({ session, id });
        }
      }
      for (const keys of [...processes, open(0), open(2)]) {
        for (const { session, id } of handedOut) {
          expect((await keys.find(session, id)).id).toBe(id);
        }
      }
    }),
    { numRuns: 60 },
  );
});
