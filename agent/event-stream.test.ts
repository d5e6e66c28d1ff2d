import { getEventListeners } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileCheckpointer } from "../adapters/file/index.ts";
import { memoryCheckpointer, memoryStore } from "../adapters/memory/index.ts";
import { postgresStore } from "../adapters/postgres/index.ts";
import {
  hasNoServer,
  serverUrl,
  temporarySchema,
  cleanUp,
} from "../adapters/postgres/testing/server.ts";
import { sqliteCheckpointer } from "../adapters/sqlite/index.ts";
import { aesGcm, generateKey, keyRing } from "../codecs/index.ts";
import { createCheckpointer, type Checkpointer, type EventObject } from "../src/index.ts";
import { fuzz } from "../test/contract/fuzz.ts";
import { toEventStream } from "./event-stream.ts";
import { eventStreamParser, type DispatchedEvent } from "./testing/event-stream-parser.ts";
import { serveEvents } from "./testing/event-stream-server.ts";

type Handle = Checkpointer<EventObject>;

const plain = (headers = {}, signal?: AbortSignal): Request =>
  new Request("http://localhost/", { headers, ...(signal && { signal }) });

/** The next events of a body, at least one of them, or what is left when it ends. */
async function nextEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  parser = eventStreamParser(),
): Promise<DispatchedEvent[]> {
  for (;;) {
    const { done, value } = await reader.read();
    const events = done ? [] : parser.add(value);
    if (done || events.length > 0) return events;
  }
}

async function allEvents(response: Response): Promise<DispatchedEvent[]> {
  const reader = response.body!.getReader();
  const parser = eventStreamParser();
  const events: DispatchedEvent[] = [];
  for (;;) {
    const next = await nextEvents(reader, parser);
    if (next.length === 0) return events;
    events.push(...next);
  }
}

/** A handle that counts the tails that are open. */
function counting(checkpointer: Handle): Handle & { open: () => number; pulled: () => number } {
  let open = 0;
  let pulled = 0;
  return {
    ...checkpointer,
    open: () => open,
    pulled: () => pulled,
    async *tail(sessionId, options) {
      open += 1;
      try {
        for await (const stored of checkpointer.tail(sessionId, options)) {
          pulled += 1;
          yield stored;
        }
      } finally {
        open -= 1;
      }
    },
  };
}

const numbered = (count: number, from = 1): EventObject[] =>
  Array.from({ length: count }, (_, index) => ({ type: "user", n: from + index }));

let folder: string;
let store: Handle;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ckpt-events-"));
  store = memoryCheckpointer<EventObject>();
});

afterEach(async () => {
  await store.close();
  await cleanUp();
  rmSync(folder, { recursive: true });
});

const stores: ReadonlyArray<[name: string, open: () => Handle, skipped?: boolean]> = [
  ["memory", () => memoryCheckpointer<EventObject>()],
  ["file", () => fileCheckpointer<EventObject>({ dir: join(folder, "files") })],
  ["sqlite", () => sqliteCheckpointer<EventObject>({ file: join(folder, "store.db") })],
  [
    "postgres",
    () => {
      const options = { connectionString: serverUrl, schema: temporarySchema() };
      return createCheckpointer<EventObject>(postgresStore(options));
    },
    hasNoServer,
  ],
];

describe.each(stores)("toEventStream() over %s", (_name, open, skipped = false) => {
  it.skipIf(skipped)(
    "loses and repeats nothing over connections that break anywhere, while others append",
    async () => {
      const handle = open();
      let session = 0;
      // The shortest log has 1,500 bytes, so that at least one connection breaks.
      const cuts = fc.array(fc.integer({ min: 1, max: 1_500 }), { minLength: 4, maxLength: 8 });
      const hostile = fc.constantFrom("\n\ndata: x", "\r", "\u2028id: 9", "\ud800", "\0");
      const texts = fc.array(fc.oneof(fc.string({ unit: "binary" }), hostile), { minLength: 1 });
      const batches = fc.array(texts, { minLength: 10, maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(cuts, batches, async (breaks, written) => {
          session += 1;
          const id = `s${session}`;
          const waiting = [...breaks];
          const server = await serveEvents(
            (request) => toEventStream(handle, id, request),
            () => waiting.shift(),
          );
          const all = written.flat();
          const writing = (async () => {
            const events = written.map((batch) => batch.map((text) => ({ text })));
            for (const batch of events) await handle.append(id, batch);
          })();
          try {
            const seen = await follow(server.url, all.length);
            await writing;
            expect(waiting.length).toBeLessThan(breaks.length - 1);
            expect(seen.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
            expect(seen.map(({ event }) => event["text"])).toEqual(all);
          } finally {
            await server.close();
          }
        }),
        fuzz(3),
      );
      await handle.close();
    },
  );

  it.skipIf(skipped)("tells a client whose history is gone to start over", async () => {
    const handle = open();
    await handle.append("s", numbered(5));
    const reader = toEventStream(handle, "s", plain()).body!.getReader();
    const parser = eventStreamParser();
    for (let seq = 1; seq <= 5; seq += 1) await nextEvents(reader, parser);
    const id = parser.lastEventId();

    await handle.truncate("s", 3);
    await handle.append("s", numbered(4, 100));
    const changed = [{ name: "log_changed", data: '{"code":"LOG_CHANGED"}', lastEventId: "" }];
    expect(await nextEvents(reader, parser)).toEqual(changed);
    expect(await nextEvents(reader, parser)).toEqual([]);
    const stale = toEventStream(handle, "s", plain({ "last-event-id": id }));
    expect(await allEvents(stale)).toEqual(changed);

    const again = toEventStream(handle, "s", plain()).body!.getReader();
    const events: DispatchedEvent[] = [];
    while (events.length < 7) events.push(...(await nextEvents(again)));
    expect(events.map((event) => seenIn(event).event["n"])).toEqual([1, 2, 3, 100, 101, 102, 103]);
    await again.cancel();
    await handle.close();
  });
});

/** What the data of an event says. */
interface Seen {
  readonly seq: number;
  readonly event: { readonly [field: string]: unknown };
}

const seenIn = ({ data }: DispatchedEvent): Seen => JSON.parse(data) as Seen;

/** Reads until `count` events are there, over as many connections as it takes. */
async function follow(url: string, count: number): Promise<Seen[]> {
  const seen: DispatchedEvent[] = [];
  let lastEventId = "";
  while (seen.length < count) {
    const headers = lastEventId === "" ? {} : { "last-event-id": lastEventId };
    const parser = eventStreamParser(lastEventId);
    try {
      const { body } = await fetch(url, { headers });
      for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
        seen.push(...parser.add(bytes));
        if (seen.length >= count) break;
      }
    } catch {
      // The connection broke.
    }
    lastEventId = parser.lastEventId();
  }
  return seen.map(seenIn);
}

describe("toEventStream()", () => {
  it("answers with the headers that keep a stream a stream", () => {
    const { status, headers } = toEventStream(store, "s", plain());
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toEqual({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
  });

  it("names events after their types, but never with a name that means something else", async () => {
    const types = ["tool_result", "codex:x", "error", "log_changed", "a\nid: 1", "", 7, undefined];
    await store.append(
      "s",
      types.map((type) => ({ type })),
    );
    const reader = toEventStream(store, "s", plain()).body!.getReader();
    const names: string[] = [];
    const parser = eventStreamParser();
    while (names.length < types.length) {
      for (const event of await nextEvents(reader, parser)) {
        names.push(event.name);
        expect(event.lastEventId).toMatch(new RegExp(`^[0-9a-f]{32}:${seenIn(event).seq}$`));
      }
    }
    expect(names).toEqual([
      "tool_result",
      "codex:x",
      ...Array.from({ length: 6 }, () => "message"),
    ]);
    await reader.cancel();
  });

  it("goes on behind an id in the header or in the address, the header first", async () => {
    await store.append("s", numbered(4));
    const [generation] = (await store.headToken("s")).split(":");
    const at = async (request: Request): Promise<number> => {
      const reader = toEventStream(store, "s", request).body!.getReader();
      const [event] = await nextEvents(reader);
      await reader.cancel();
      return seenIn(event!).seq;
    };
    const address = `http://localhost/?lastEventId=${generation}:2`;
    expect(await at(new Request(address))).toBe(3);
    expect(
      await at(new Request(address, { headers: { "last-event-id": `${generation}:3` } })),
    ).toBe(4);
  });

  it.each([
    "x",
    "7",
    ":0",
    ":7",
    "a:-1",
    "a:1.5",
    "a:01",
    "a:99999999999999999999",
    "%:1",
    "a:b:1",
  ])("refuses the id %s in one line", async (id) => {
    const response = toEventStream(store, "s", plain({ "last-event-id": id }));
    expect(response.status).toBe(400);
    const text = "Last-Event-ID: wanted the id of an event of this stream\n";
    expect(await response.text()).toBe(text);
  });

  it.each([
    ["of another history", "ffffffffffffffffffffffffffffffff:1"],
    ["of an event that a power cut took", "3"],
  ])("says log_changed to an id %s", async (_name, id) => {
    await store.append("s", numbered(2));
    const [generation] = (await store.headToken("s")).split(":");
    const header = id.includes(":") ? id : `${generation}:${id}`;
    const events = await allEvents(toEventStream(store, "s", plain({ "last-event-id": header })));
    expect(events).toMatchObject([{ name: "log_changed" }]);
  });

  it("waits for a session that does not exist yet", async () => {
    const reader = toEventStream(store, "s", plain()).body!.getReader();
    const next = nextEvents(reader);
    await store.append("s", numbered(1));
    const [event] = await next;
    const [generation] = (await store.headToken("s")).split(":");
    expect(event!.lastEventId).toBe(`${generation}:1`);
    await reader.cancel();
  });

  it("never names events of one history after another one", async () => {
    await store.append("s", numbered(1));
    let looks = 0;
    const replacing: Handle = {
      ...store,
      async headToken(sessionId) {
        const token = await store.headToken(sessionId);
        looks += 1;
        if (looks === 1) {
          await store.delete("s");
          await store.append("s", numbered(1, 50));
        }
        return token;
      },
    };
    const events = await allEvents(toEventStream(replacing, "s", plain()));
    expect(events).toMatchObject([{ name: "log_changed" }]);
  });

  it.each(["cancelling the body", "aborting the request"])(
    "ends the tail and leaves no listener after %s",
    async (how) => {
      const handle = counting(store);
      const left = new AbortController();
      const request = plain({}, left.signal);
      await store.append("s", numbered(1));
      const reader = toEventStream(handle, "s", request).body!.getReader();
      await nextEvents(reader);
      const idle = reader.read();
      expect(handle.open()).toBe(1);
      expect(getEventListeners(request.signal, "abort")).toHaveLength(1);
      if (how === "aborting the request") left.abort();
      else await reader.cancel();
      expect(await idle).toMatchObject({ done: true });
      await vi.waitFor(() => expect(handle.open()).toBe(0));
      expect(getEventListeners(request.signal, "abort")).toHaveLength(0);
    },
  );

  it("starts nothing for a request that was aborted, or a body that nobody reads", async () => {
    const handle = counting(store);
    await store.append("s", numbered(1));
    const aborted = toEventStream(handle, "s", plain({}, AbortSignal.abort()));
    expect(await aborted.text()).toBe("");
    const unread = toEventStream(handle, "s", plain());
    await unread.body!.cancel();
    expect(handle.pulled()).toBe(0);
  });

  it("reads no further than the client does", async () => {
    const handle = counting(store);
    await store.append("s", numbered(1000));
    const reader = toEventStream(handle, "s", plain()).body!.getReader();
    for (let count = 1; count <= 3; count += 1) {
      await nextEvents(reader);
      await setImmediate();
      expect(handle.pulled()).toBe(count);
    }
    await reader.cancel();
  });

  it("sends comments through silence, and no event of them", async () => {
    const parser = eventStreamParser();
    const reader = toEventStream(store, "s", plain(), { heartbeatMs: 1 }).body!.getReader();
    while (parser.comments() < 3) {
      const { value } = await reader.read();
      expect(parser.add(value as Uint8Array)).toEqual([]);
    }
    await store.append("s", numbered(1));
    expect(await nextEvents(reader, parser)).toMatchObject([{ name: "user" }]);
    await reader.cancel();
    expect(() => toEventStream(store, "s", plain(), { heartbeatMs: 0 })).toThrow(RangeError);
    expect(() => toEventStream(store, "s", plain(), { heartbeatMs: Number.NaN })).toThrow(
      RangeError,
    );
  });

  it("says nothing of a failure but its code", async () => {
    const canary = "canary-4711";
    const seal = (): Handle => {
      const codec = aesGcm({ keys: keyRing({ primary: generateKey() }) });
      return createCheckpointer<EventObject>(
        { ...shared, close: async () => undefined },
        { codec },
      );
    };
    const shared = memoryStore();
    await seal().append(canary, [{ text: canary }]);
    const sealed = await toEventStream(seal(), canary, plain()).text();
    expect(sealed).toBe('event: failed\ndata: {"code":"KEY_UNKNOWN"}\n\n');
    const broken: Handle = {
      ...store,
      headToken: () => Promise.reject(new Error(`cannot open /home/${canary}`)),
    };
    const failed = await toEventStream(broken, "s", plain()).text();
    expect(failed).toBe('event: failed\ndata: {"code":"UNKNOWN"}\n\n');
  });

  it("ends when the checkpointer is closed", async () => {
    const reader = toEventStream(store, "s", plain()).body!.getReader();
    const next = nextEvents(reader);
    await store.close();
    expect(await next).toMatchObject([{ name: "failed", data: '{"code":"CLOSED"}' }]);
    expect((await reader.read()).done).toBe(true);
  });
});
