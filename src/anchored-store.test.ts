import { expect, test } from "vitest";
import { memoryAnchor, memoryStore } from "../adapters/memory/index.ts";
import { withoutClose } from "../test/six-methods.ts";
import { xorCodec } from "../test/xor-codec.ts";
import type { Anchor } from "./anchor.ts";
import { createCheckpointer } from "./create-checkpointer.ts";
import type { RecordStore } from "./record-store.ts";
import type { EventObject } from "./session-event.ts";

const codec = xorCodec();

/** Anchored handles onto one store; the store is also there without its anchor, for an attacker. */
function arrange(change: (store: RecordStore) => RecordStore = (store) => store) {
  const attacked = withoutClose(memoryStore());
  const store = change(attacked);
  const anchor = memoryAnchor();
  const open = (given: Anchor = anchor) =>
    createCheckpointer<EventObject>(store, { codec, anchor: given });
  return { attacked, anchor, open };
}

async function contentOf(checkpointer: ReturnType<ReturnType<typeof arrange>["open"]>) {
  const events = [];
  for await (const { event } of checkpointer.read("a")) events.push(event);
  return events;
}

function cutAt(store: RecordStore, keep: number) {
  return store.commit("a", { base: null, keep, batches: [], mtime: Date.now() });
}

test("an anchored log that lost its tail is refused until it is deleted", async () => {
  const { attacked, open } = arrange();
  const checkpointer = open();
  await checkpointer.append("a", [{ n: 1 }, { n: 2 }, { n: 3 }]);
  await cutAt(attacked, 2);
  const refused = { code: "ANCHOR_MISMATCH", retryable: false };
  await expect(contentOf(checkpointer)).rejects.toMatchObject(refused);
  await expect(checkpointer.head("a")).rejects.toMatchObject(refused);
  await expect(checkpointer.append("a", [{ n: 4 }])).rejects.toMatchObject(refused);
  await expect(checkpointer.truncate("a", 1)).rejects.toMatchObject(refused);
  expect((await checkpointer.list()).map(({ id }) => id)).toEqual(["a"]);
  await checkpointer.delete("a");
  expect(await checkpointer.append("a", [{ n: 5 }])).toBe(1);
  expect(await contentOf(open())).toEqual([{ n: 5 }]);
});

test("an anchored log that was removed or emptied behind its back is refused", async () => {
  const { attacked, open } = arrange();
  const checkpointer = open();
  await checkpointer.append("a", [{ n: 1 }]);
  await cutAt(attacked, 0);
  await expect(checkpointer.head("a")).rejects.toMatchObject({ code: "ANCHOR_MISMATCH" });
  await attacked.delete("a");
  await expect(checkpointer.head("a")).rejects.toMatchObject({ code: "ANCHOR_MISMATCH" });
});

test("an anchored log may be ahead of its anchor, as after a crash between the two", async () => {
  const { anchor, open } = arrange();
  let reachable = true;
  const flaky: Anchor = {
    ...anchor,
    async set(...given) {
      if (!reachable) throw new Error("cannot reach");
      return anchor.set(...given);
    },
  };
  const checkpointer = open(flaky);
  await checkpointer.append("a", [{ n: 1 }]);
  reachable = false;
  const lost = checkpointer.append("a", [{ n: 2 }]);
  await expect(lost).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
  expect(await contentOf(checkpointer)).toEqual([{ n: 1 }, { n: 2 }]);
  reachable = true;
  expect(await checkpointer.append("a", [{ n: 3 }])).toBe(3);
  expect((await anchor.get("a"))?.seq).toBe(3);
});

test("an anchored append that races a delete leaves a session that works", async () => {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => void (letGo = resolve));
  const { open } = arrange((store) => ({
    ...store,
    async delete(sessionId) {
      await gate;
      await store.delete(sessionId);
    },
  }));
  const [deleter, appender] = [open(), open()];
  await appender.append("a", [{ n: 1 }, { n: 2 }]);
  const deleted = deleter.delete("a");
  await new Promise(setImmediate);
  expect(await appender.append("a", [{ n: 3 }])).toBe(3);
  letGo();
  await deleted;
  expect(await contentOf(appender)).toEqual([]);
  expect(await appender.append("a", [{ n: 4 }])).toBe(1);
});

test("an anchored store is not called after close()", async () => {
  let closed = false;
  const late: string[] = [];
  const { anchor, open } = arrange((store) => ({
    ...store,
    async head(sessionId) {
      if (closed) late.push("head");
      return store.head(sessionId);
    },
    close: async () => void (closed = true),
  }));
  const slow: Anchor = {
    ...anchor,
    async get(sessionId) {
      await new Promise(setImmediate);
      return anchor.get(sessionId);
    },
  };
  const checkpointer = open(slow);
  await checkpointer.append("a", [{ n: 1 }]);
  const follower = checkpointer.tail("a", { sinceSeq: 1 })[Symbol.asyncIterator]();
  const ended = expect(follower.next()).rejects.toMatchObject({ code: "CLOSED" });
  await checkpointer.close();
  await ended;
  expect(late).toEqual([]);
});
