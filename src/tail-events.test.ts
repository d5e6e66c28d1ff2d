import { afterEach, expect, test, vi } from "vitest";
import { memoryStore } from "../adapters/memory/index.ts";
import { createCheckpointer } from "./create-checkpointer.ts";
import { limits } from "./limits.ts";
import type { LogHead, RecordStore } from "./record-store.ts";

afterEach(() => void vi.useRealTimers());

const event = { type: "user", content: "hello" } as const;

/** Two engines over one store: what one appends, the other learns from the store alone. */
function openTwo(change: (store: RecordStore) => RecordStore = (store) => store) {
  const store = memoryStore();
  return [createCheckpointer(change(store)), createCheckpointer(store)] as const;
}

/** The seq that a follower delivers next. */
async function nextSeq(follower: AsyncIterator<{ seq: number }>): Promise<number> {
  return ((await follower.next()).value as { seq: number }).seq;
}

test("tail() polls where there are no hints", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const [reader, writer] = openTwo();
  const follower = reader.tail("a")[Symbol.asyncIterator]();
  const next = nextSeq(follower);
  await vi.advanceTimersByTimeAsync(limits.tailPollMs * 3);
  await writer.append("a", [event]);
  await vi.advanceTimersByTimeAsync(limits.tailPollMs);
  expect(await next).toBe(1);
  await follower.return?.();
  expect(vi.getTimerCount()).toBe(0);
});

test("tail() looks at once when it gets a hint, and stops the hints with its loop", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let hint = (): void => {};
  let stopped: AbortSignal | undefined;
  const [reader, writer] = openTwo((store) => ({
    ...store,
    async *watch(_sessionId, signal) {
      stopped = signal;
      while (!signal.aborted) {
        await new Promise<void>((resolve) => void (hint = resolve));
        yield;
      }
    },
  }));
  const follower = reader.tail("a")[Symbol.asyncIterator]();
  const next = nextSeq(follower);
  await writer.append("a", [event]);
  await new Promise(setImmediate);
  hint();
  expect(await next).toBe(1);
  await follower.return?.();
  expect(stopped?.aborted).toBe(true);
});

test("tail() goes on polling when hints fail", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const [reader, writer] = openTwo((store) => ({
    ...store,
    watch() {
      throw new Error("cannot watch");
    },
  }));
  const follower = reader.tail("a")[Symbol.asyncIterator]();
  const next = nextSeq(follower);
  await writer.append("a", [event]);
  await vi.advanceTimersByTimeAsync(limits.tailPollMs);
  expect(await next).toBe(1);
  await follower.return?.();
});

test("tail() fails with LOG_CHANGED when the log is replaced before its read", async () => {
  let between = async (_head: LogHead | null): Promise<void> => {};
  const [reader, writer] = openTwo((store) => ({
    ...store,
    async head(sessionId) {
      const head = await store.head(sessionId);
      await between(head);
      return head;
    },
  }));
  await writer.append("a", [event, event]);
  between = async () => {
    between = async () => {};
    await writer.delete("a");
    await writer.append("a", [event, event, event]);
  };
  const follower = reader.tail("a")[Symbol.asyncIterator]();
  await expect(follower.next()).rejects.toMatchObject({ code: "LOG_CHANGED" });
});
