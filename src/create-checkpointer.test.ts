// The engine over stores that tests arrange: slow, refusing, small, or without a part. What it does
// over stores that work is in test/contract.

import { describe, expect, test, vi } from "vitest";
import { memoryStore } from "../adapters/memory/index.ts";
import type { Checkpointer } from "./checkpointer.ts";
import { createCheckpointer } from "./create-checkpointer.ts";
import { CheckpointError } from "./errors.ts";
import { limits } from "./limits.ts";
import type { RecordStore } from "./record-store.ts";
import type { EventObject } from "./session-event.ts";

function open(store: RecordStore) {
  return createCheckpointer<EventObject>(store);
}

/** A store whose commits to one session wait until they are let go. */
function gated(sessionId: string): { store: RecordStore; letGo: () => void } {
  const good = memoryStore();
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => void (letGo = resolve));
  const store: RecordStore = {
    ...good,
    async commit(id, change) {
      if (id === sessionId) await gate;
      return good.commit(id, change);
    },
  };
  return { store, letGo };
}

/** A store that declares other capabilities. */
function declaring(changes: Partial<RecordStore["capabilities"]>): RecordStore {
  const store = memoryStore();
  return { ...store, capabilities: { ...store.capabilities, ...changes } };
}

/** A store without its optional methods. */
function minimal(): RecordStore {
  const store = memoryStore();
  delete store.rewrite;
  return store;
}

/** A promise that has to settle without any time going by; one that never does fails at once. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  const never = (async (): Promise<never> => {
    for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate);
    throw new Error("never settles");
  })();
  never.catch(() => undefined);
  return Promise.race([promise, never]);
}

describe("append()", () => {
  test("commits 50 appends that wait behind one in a single commit, in order", async () => {
    const { store, letGo } = gated("a");
    const commit = vi.spyOn(store, "commit");
    const checkpointer = open(store);
    const appends = Array.from({ length: 51 }, (_, n) => checkpointer.append("a", [{ n }]));
    letGo();
    const heads = await Promise.all(appends);
    expect(heads).toEqual(heads.map((_head, n) => n + 1));
    expect(commit).toHaveBeenCalledTimes(2);
    expect(commit.mock.calls[1]?.[1].batches).toHaveLength(50);
  });

  test("rejects every append of a failed commit with its error, and then goes on", async () => {
    const good = memoryStore();
    const busy = new CheckpointError("BUSY", "Cannot lock");
    let refuse = true;
    const commit = vi.fn<RecordStore["commit"]>(async (sessionId, change) => {
      if (refuse) throw busy;
      return good.commit(sessionId, change);
    });
    const checkpointer = open({ ...good, commit });
    const results = await Promise.allSettled(
      [1, 2, 3].map((n) => checkpointer.append("a", [{ n }])),
    );
    expect(results.map((result) => result.status === "rejected" && result.reason === busy)).toEqual(
      [true, true, true],
    );
    expect(commit).toHaveBeenCalledTimes(2);
    refuse = false;
    expect(await checkpointer.append("a", [{ n: 4 }])).toBe(1);
  });

  test.each(["commit", "head"] as const)(
    "rejects when %s throws at once, and then goes on",
    async (method) => {
      const store = memoryStore();
      const good = store[method];
      const fail = vi.fn(() => {
        throw new Error("at once");
      });
      store[method] = fail;
      const checkpointer = open(store);
      // Only `[]` has to look the head up.
      const events = method === "head" ? [] : [{ n: 1 }];
      await expect(soon(checkpointer.append("a", events))).rejects.toThrow("at once");
      Object.assign(store, { [method]: good });
      expect(await soon(checkpointer.append("a", [{ n: 2 }]))).toBe(1);
      await soon(checkpointer.close());
    },
  );

  test.each([
    ["truncates", (rival: Checkpointer<EventObject>) => rival.truncate("a", 1)],
    ["deletes", (rival: Checkpointer<EventObject>) => rival.delete("a")],
  ])(
    "without an expectation succeeds although a rival %s while it looks",
    async (_name, change) => {
      const store = memoryStore();
      const rival = open(store);
      await rival.append("a", [{ n: 1 }, { n: 2 }]);
      let changed = false;
      const checkpointer = open({
        ...store,
        async head(sessionId) {
          const head = await store.head(sessionId);
          if (!changed) await change(rival);
          changed = true;
          return head;
        },
      });
      const head = await checkpointer.append("a", [{ n: 3 }]);
      expect(head).toBe(await rival.head("a"));
    },
  );

  test("with a key is not supported where the store cannot remember keys", async () => {
    const checkpointer = open(declaring({ idempotency: false }));
    expect(checkpointer.capabilities.idempotency).toBe(false);
    const append = checkpointer.append("a", [{ n: 1 }], { idempotencyKey: "key" });
    await expect(append).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
    expect(await checkpointer.append("a", [{ n: 1 }])).toBe(1);
  });

  test("keeps to the smaller of the store's limits and the kit's", async () => {
    const store = { maxEventBytes: 20, maxBatchEvents: 2, maxSessionIdBytes: 512 };
    const small = open(declaring({ limits: store }));
    expect(small.capabilities.limits).toEqual(store);
    expect(await small.append("a", [{ n: 1 }, { text: "x".repeat(9) }])).toBe(2);
    const tooBig = [[{ n: 1 }, { n: 2 }, { n: 3 }], [{ text: "x".repeat(10) }]];
    for (const events of tooBig) {
      await expect(small.append("a", events)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    }
    const huge = { maxEventBytes: 1e12, maxBatchEvents: 1e12, maxSessionIdBytes: 1e12 };
    const { maxEventBytes, maxBatchEvents, maxSessionIdBytes } = limits;
    const kit = { maxEventBytes, maxBatchEvents, maxSessionIdBytes };
    expect(open(declaring({ limits: huge })).capabilities.limits).toEqual(kit);
  });
});

describe("truncate()", () => {
  test("is stamped when its turn comes, so that list order is the order of changes", async () => {
    const { store, letGo } = gated("a");
    const checkpointer = open(store);
    const changes = [checkpointer.append("a", [{ n: 1 }, { n: 2 }]), checkpointer.truncate("a", 1)];
    await checkpointer.append("b", [{ n: 1 }]);
    letGo();
    await Promise.all(changes);
    expect((await checkpointer.list()).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("is not supported where the store says so, and changes nothing", async () => {
    const checkpointer = open(declaring({ truncate: false }));
    await checkpointer.append("a", [{ n: 1 }]);
    await expect(checkpointer.truncate("a", 0)).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
    expect(await checkpointer.head("a")).toBe(1);
  });
});

describe("delete()", () => {
  test("rejects when the store throws at once, and then goes on", async () => {
    const checkpointer = open({
      ...memoryStore(),
      delete() {
        throw new Error("at once");
      },
    });
    await expect(soon(checkpointer.delete("a"))).rejects.toThrow("at once");
    expect(await soon(checkpointer.append("a", [{ n: 1 }]))).toBe(1);
    await soon(checkpointer.close());
  });
});

describe("fork()", () => {
  test("without rewrite() copies at most one batch, and says so before it writes", async () => {
    const store = minimal();
    const { capabilities } = declaring({ limits: { ...limits, maxBatchEvents: 3 } });
    const checkpointer = open({ ...store, capabilities });
    await checkpointer.append("a", [{ n: 1 }, { n: 2 }, { n: 3 }]);
    await checkpointer.append("a", [{ n: 4 }]);
    expect(await checkpointer.fork("a", 3, "b")).toBe(3);
    const fork = checkpointer.fork("a", 4, "c");
    await expect(fork).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(await checkpointer.head("c")).toBe(0);
  });
});

describe("capabilities", () => {
  test("say what the store's optional methods add", () => {
    const plain = open(minimal()).capabilities;
    expect(plain).toMatchObject({ tail: "poll", repair: false, fork: true, verify: true });
    async function* watch(): AsyncGenerator<void, void, void> {}
    const rich = open({ ...minimal(), watch, repair: async () => null }).capabilities;
    expect(rich).toMatchObject({ tail: "push", repair: true });
  });
});

describe("close()", () => {
  test("closes the store once, after everything that was under way", async () => {
    const { store, letGo } = gated("a");
    const close = vi.spyOn(store, "close");
    const checkpointer = open(store);
    const append = checkpointer.append("a", [{ n: 1 }]);
    const closing = [checkpointer.close(), checkpointer.close()];
    await new Promise(setImmediate);
    expect(close).not.toHaveBeenCalled();
    letGo();
    expect(await append).toBe(1);
    await Promise.all(closing);
    expect(close).toHaveBeenCalledOnce();
  });

  test.each(["verify", "rekey", "adopt"] as const)(
    "during %s() of many sessions keeps the store from being called afterwards",
    async (method) => {
      const store = memoryStore();
      const checkpointer = createCheckpointer<EventObject>(store, { codec: identity });
      for (const id of ["a", "b", "c"]) await checkpointer.append(id, [{ n: 1 }]);
      let closed = false;
      const late: string[] = [];
      for (const name of ["head", "commit", "read", "list", "rewrite"] as const) {
        const call = store[name] as (...given: unknown[]) => unknown;
        Object.assign(store, {
          [name]: (...given: unknown[]) => {
            if (closed) late.push(name);
            return call(...given);
          },
        });
      }
      store.close = async () => void (closed = true);
      const running = method === "verify" ? drain(checkpointer.verify()) : checkpointer[method]();
      const ended = running.then(
        () => null,
        (error: unknown) => error,
      );
      await checkpointer.close();
      expect([null, "CLOSED"]).toContain(((await ended) as { code?: string } | null)?.code ?? null);
      expect(late).toEqual([]);
    },
  );
});

/** Seals nothing, but makes bytes of records. */
const identity = {
  id: "identity",
  kind: "transform",
  encode: (bytes: Uint8Array) => bytes.slice(),
  decode: (bytes: Uint8Array) => bytes.slice(),
} as const;

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of items);
}
