import { tracingChannel } from "node:diagnostics_channel";
import { afterEach, describe, expect, it } from "vitest";
import { memoryCheckpointer, memoryStore } from "../adapters/memory/index.ts";
import { createCheckpointer } from "../src/index.ts";
import { traceSpan, tracedCheckpointer, tracedStore } from "./trace.ts";

const event = { type: "user", content: "hi" } as const;
const cleaners: Array<() => void> = [];

afterEach(() => {
  for (const clean of cleaners.splice(0)) clean();
});

/** What subscribers are told of a channel, in order. */
function listen(name: string): Array<[event: string, context: object]> {
  const told: Array<[string, object]> = [];
  const tell = (what: string) => (context: unknown) =>
    void told.push([what, { ...(context as object) }]);
  const subscribers = {
    start: tell("start"),
    end: tell("end"),
    asyncStart: tell("asyncStart"),
    asyncEnd: tell("asyncEnd"),
    error: tell("error"),
  };
  const channel = tracingChannel<unknown, object>(`checkpointer-kit:${name}`);
  channel.subscribe(subscribers);
  cleaners.push(() => channel.unsubscribe(subscribers));
  return told;
}

describe("without subscribers", () => {
  it("nothing stands between a caller and what is traced", async () => {
    const promise = Promise.resolve(1);
    const events = (async function* () {})();
    const outcome = Promise.resolve({ head: null });
    const checkpointer = { ...memoryCheckpointer(), append: () => promise, read: () => events };
    const store = { ...memoryStore(), commit: () => outcome };
    const traced = tracedCheckpointer(checkpointer);
    expect(traced.append()).toBe(promise);
    expect(traced.read()).toBe(events);
    expect(tracedStore(store).commit()).toBe(outcome);
    expect(traceSpan("compact", { sessionId: "s" }, () => promise)).toBe(promise);
  });
});

describe("traceSpan()", () => {
  it("publishes what tracePromise() does, with the code of an error and never its message", async () => {
    const told = listen("compact");
    await traceSpan("compact", { sessionId: "s" }, async (span) => {
      span.head = 3;
    });
    const failure = Object.assign(new Error("secret"), { code: "AGENT_BUSY" });
    const failing = traceSpan("compact", { sessionId: "s" }, () => Promise.reject(failure));
    await expect(failing).rejects.toBe(failure);
    const error = { code: "AGENT_BUSY" };
    expect(told).toEqual([
      ["start", { sessionId: "s" }],
      ["end", { sessionId: "s", head: 3 }],
      ["asyncStart", { sessionId: "s", head: 3 }],
      ["asyncEnd", { sessionId: "s", head: 3 }],
      ["start", { sessionId: "s" }],
      ["end", { sessionId: "s" }],
      ["error", { sessionId: "s", error }],
      ["asyncStart", { sessionId: "s", error }],
      ["asyncEnd", { sessionId: "s", error }],
    ]);
  });

  it("ends a span whose work throws at once", async () => {
    const told = listen("restore");
    const work = (): Promise<void> => {
      throw new TypeError("secret");
    };
    await expect(traceSpan("restore", { sessionId: "s" }, work)).rejects.toThrow(TypeError);
    expect(told.at(-1)).toEqual(["asyncEnd", { sessionId: "s", error: { code: "TypeError" } }]);
  });
});

describe("tracedStore()", () => {
  it("tells a refused commit from one that was made", async () => {
    const told = listen("commit");
    const store = tracedStore(memoryStore());
    const batches = [{ records: [{ ts: "2026-01-01T00:00:00.000Z", payload: "{}" }] }];
    await store.commit("s", { base: null, batches, mtime: 1 });
    await store.commit("s", { base: { seq: 0 }, batches, mtime: 1 });
    const ends = told.filter(([what]) => what === "asyncEnd").map(([, context]) => context);
    expect(ends).toEqual([
      { sessionId: "s", events: 1, head: 1 },
      { sessionId: "s", events: 1, error: { code: "CONFLICT" } },
    ]);
    await store.close();
  });
});

describe("what is traced", () => {
  it("keeps everything else it can do, also as an instance of a class", async () => {
    class Counting {
      #count = 0;
      readonly inner = memoryStore();
      readonly capabilities = this.inner.capabilities;
      head(sessionId: string) {
        this.#count += 1;
        return this.inner.head(sessionId);
      }
      commit(...args: Parameters<typeof this.inner.commit>) {
        return this.inner.commit(...args);
      }
      read(...args: Parameters<typeof this.inner.read>) {
        return this.inner.read(...args);
      }
      list(...args: Parameters<typeof this.inner.list>) {
        return this.inner.list(...args);
      }
      delete(sessionId: string) {
        return this.inner.delete(sessionId);
      }
      close() {
        return this.inner.close();
      }
      count() {
        return this.#count;
      }
    }
    const store = tracedStore(new Counting());
    const checkpointer = tracedCheckpointer(createCheckpointer(store));
    await checkpointer.append("s", [event]);
    expect(await checkpointer.head("s")).toBe(1);
    expect(store.count()).toBeGreaterThan(0);
    await checkpointer[Symbol.asyncDispose]();
    await expect(checkpointer.head("s")).rejects.toMatchObject({ code: "CLOSED" });
  });
});
