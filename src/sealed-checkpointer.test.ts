import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryCheckpointer } from "../adapters/memory/index.ts";
import { xorCodec } from "../test/xor-codec.ts";
import { limits } from "./limits.ts";
import { sealedCheckpointer, type SealedEvent } from "./sealed-checkpointer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A follower that has delivered two events of a foreign log and waits for a third. */
async function follow() {
  const inner = memoryCheckpointer<SealedEvent>();
  const [reader, writer] = [0, 1].map(() => sealedCheckpointer<object>(inner, xorCodec()));
  await writer!.append("a", [{ n: 1 }, { n: 2 }]);
  const follower = reader!.tail("a")[Symbol.asyncIterator]();
  expect((await follower.next()).value).toMatchObject({ event: { n: 1 } });
  expect((await follower.next()).value).toMatchObject({ event: { n: 2 } });
  return { inner, writer: writer!, next: follower.next() };
}

const poll = () => vi.advanceTimersByTimeAsync(limits.tailPollMs * 2);

test("tail() of a sealed foreign log that shrinks behind its back ends with LOG_CHANGED", async () => {
  const { inner, next } = await follow();
  const ended = expect(next).rejects.toMatchObject({ code: "LOG_CHANGED" });
  await poll();
  await inner.truncate("a", 1);
  await poll();
  await ended;
});

test("tail() of a sealed foreign log notices another record at its end", async () => {
  const { writer, next } = await follow();
  const ended = expect(next).rejects.toMatchObject({ code: "LOG_CHANGED" });
  await poll();
  await writer.truncate("a", 1);
  await writer.append("a", [{ n: 3 }]);
  await poll();
  await ended;
});

test("tail() of a sealed foreign log goes on when a look at its end comes late", async () => {
  const inner = memoryCheckpointer<SealedEvent>();
  let letGo = (): void => {};
  let isHeld = false;
  const slow = {
    ...inner,
    async head(sessionId: string) {
      const seq = await inner.head(sessionId);
      if (isHeld) await new Promise<void>((resolve) => void (letGo = resolve));
      return seq;
    },
  };
  const sealed = sealedCheckpointer<object>(slow, xorCodec());
  await sealed.append("a", [{ n: 1 }]);
  const follower = sealed.tail("a")[Symbol.asyncIterator]();
  await follower.next();
  isHeld = true;
  const next = follower.next();
  await poll();
  isHeld = false;
  // Lands while the follower's look, which has seen one record, is still on its way.
  await sealed.append("a", [{ n: 2 }]);
  letGo();
  await poll();
  expect((await next).value).toMatchObject({ event: { n: 2 } });
});
