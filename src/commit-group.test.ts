import { expect, test } from "vitest";
import { memoryStore } from "../adapters/memory/index.ts";
import { withoutClose } from "../test/six-methods.ts";
import { xorCodec } from "../test/xor-codec.ts";
import { createCheckpointer } from "./create-checkpointer.ts";
import { CheckpointError } from "./errors.ts";
import type { RecordStore } from "./record-store.ts";
import type { EventObject } from "./session-event.ts";

test.each([undefined, xorCodec()])(
  "close() lets an append complete that has to read the log first",
  async (codec) => {
    const store = withoutClose(memoryStore());
    const open = () => createCheckpointer<EventObject>(store, { codec });
    await open().append("a", [{ n: 1 }], { idempotencyKey: "k" });
    for (const [options, head] of [
      [{ idempotencyKey: "k" }, 1],
      [undefined, 2],
    ] as const) {
      const handle = open();
      const appended = handle.append("a", [{ n: 1 }], options);
      await handle.close();
      expect(await appended).toBe(head);
    }
  },
);

test("an append looks at the last record once, and again only in another generation", async () => {
  const store = withoutClose(memoryStore());
  let reads = 0;
  const counted = {
    ...store,
    read: (...which: Parameters<typeof store.read>) => {
      reads += 1;
      return store.read(...which);
    },
  };
  const codec = xorCodec();
  const rival = createCheckpointer<EventObject>(store, { codec });
  const handle = createCheckpointer<EventObject>(counted, { codec });
  for (const n of [1, 2]) await handle.append("mine", [{ n }]);
  expect(reads).toBe(0);
  await rival.append("theirs", [{ n: 1 }]);
  for (const n of [2, 3]) await handle.append("theirs", [{ n }]);
  await rival.append("theirs", [{ n: 4 }]);
  await handle.append("theirs", [{ n: 5 }]);
  expect(reads).toBe(1);
  await rival.truncate("theirs", 4);
  for (const n of [5, 6]) await handle.append("theirs", [{ n }]);
  expect(reads).toBe(2);
});

/** A memory store with another `head` or `commit`. */
function contradicting(change: Partial<RecordStore>): RecordStore {
  return { ...withoutClose(memoryStore()), ...change };
}

test("append() gives up with BUSY when a store tells of a batch that it cannot read", async () => {
  const store = contradicting({
    commit: () => Promise.resolve({ duplicate: { key: "k", from: 1, to: 1 } }),
  });
  const handle = createCheckpointer<EventObject>(store);
  const appended = handle.append("a", [{ n: 1 }], { idempotencyKey: "k" });
  await expect(appended).rejects.toMatchObject({ code: "BUSY", retryable: true });
});

test("append() gives up with BUSY when a store's head is of another log than what it reads", async () => {
  const store = withoutClose(memoryStore());
  const other: RecordStore = { ...store, read: () => anotherLog };
  const codec = xorCodec();
  await createCheckpointer<EventObject>(store, { codec }).append("a", [{ n: 1 }]);
  const appended = createCheckpointer<EventObject>(other, { codec }).append("a", [{ n: 2 }]);
  await expect(appended).rejects.toMatchObject({ code: "BUSY", retryable: true });
});

/** What a reader gets whose log is gone. */
const anotherLog: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({
    next: () => Promise.reject(new CheckpointError("LOG_CHANGED", "another log")),
  }),
};
