import {
  createCheckpointer,
  type Checkpointer,
  type Codec,
  type EventObject,
} from "../../../src/index.ts";
import { failureOf } from "../../check.ts";
import { collect } from "../../collect.ts";
import { hardEvents } from "../../json-values.ts";
import { begin } from "../../begin.ts";
import { eventsOf, id, numbered, numbersOf } from "../../session-state.ts";
import type { CodecProperties } from "../codec-property.ts";
import { createMapStore, type MapStore } from "../map-store.ts";

type Handle = Checkpointer<EventObject>;

function open({ store }: MapStore, codec?: Codec): Handle {
  return createCheckpointer<EventObject>(store, { codec });
}

/** Fails at the event `{"n":<n>}`; otherwise as the codec. */
function failingAt(n: number, codec: Codec): Codec {
  return {
    id: codec.id,
    kind: codec.kind,
    encode(bytes, context) {
      if (new TextDecoder().decode(bytes) === JSON.stringify({ n }))
        throw new Error("cannot encode");
      return codec.encode(bytes, context);
    },
    decode: (bytes, context) => codec.decode(bytes, context),
  };
}

/** Waits before its first encode until the other writer is done. */
function slowAtFirst(codec: Codec, other: Promise<unknown>): Codec {
  return {
    id: codec.id,
    kind: codec.kind,
    async encode(bytes, context) {
      await other;
      return codec.encode(bytes, context);
    },
    decode: (bytes, context) => codec.decode(bytes, context),
  };
}

/** A codec in the engine, which calls it as every store does. */
export const checkpointerProperties: CodecProperties = [
  {
    id: "C28",
    group: "checkpointer",
    statement: "A checkpointer with the codec keeps events as one without does",
    reason: "That is what the codec is for",
    cases: [
      {
        name: "append, read, truncate and fork give the events back, also to another handle",
        async run({ codec, create, promises, check }) {
          const store = createMapStore();
          const handle = open(store, codec);
          const most = promises.maxDecodedBytes ?? Infinity;
          const events = hardEvents
            .map(([, event]) => event)
            .filter((event) => Buffer.byteLength(JSON.stringify(event)) <= most);
          check.same(await handle.append(id, events), events.length);
          const sealed = store.records(id).every(({ payload }) => typeof payload !== "string");
          check.ok(sealed, "every record is bytes");
          const other = open(store, await create());
          check.equal(await eventsOf(other), events);
          const backwards = await collect(other.read(id, { reverse: true, limit: 3 }));
          check.equal(
            backwards.map(({ event }) => event),
            events.toReversed().slice(0, 3),
          );
          await handle.truncate(id, 2);
          await other.append(id, numbered(3, 5));
          check.equal(await eventsOf(handle), [...events.slice(0, 2), ...numbered(3, 5)]);
          await handle.fork(id, 4, "copy");
          check.equal(await eventsOf(other, "copy"), [...events.slice(0, 2), ...numbered(3, 4)]);
          await handle.delete(id);
          check.same(await other.append(id, numbered(1, 1)), 1);
          check.equal(await numbersOf(handle), [1]);
        },
      },
      {
        name: "append encodes anew when another handle was faster",
        async run({ codec, create, check }) {
          const store = createMapStore();
          let letGo = (): void => undefined;
          const free = new Promise<void>((resolve) => void (letGo = resolve));
          const loser = open(store, slowAtFirst(codec, free));
          const winner = open(store, await create());
          const losing = [
            begin(loser.append(id, numbered(3, 4))),
            begin(loser.append(id, numbered(5, 5))),
          ];
          check.same(await winner.append(id, numbered(1, 2)), 2);
          letGo();
          check.equal(await Promise.all(losing), [4, 5]);
          check.equal(await numbersOf(winner), [1, 2, 3, 4, 5]);
          check.equal(await numbersOf(loser), [1, 2, 3, 4, 5]);
        },
      },
      {
        name: "rekey seals anew what is not current, and then finds nothing to do",
        async run({ codec, check }) {
          const handle = open(createMapStore(), codec);
          await handle.append(id, numbered(1, 1));
          await handle.append(id, numbered(2, 5));
          await handle.rekey(id);
          check.equal(await numbersOf(handle), [1, 2, 3, 4, 5]);
          const { records } = await handle.rekey(id);
          if (codec.isCurrent !== undefined) check.same(records, 0, "records sealed again");
          check.same(await handle.append(id, numbered(6, 6)), 6);
          check.equal(await numbersOf(handle), [1, 2, 3, 4, 5, 6]);
        },
      },
    ],
  },
  {
    id: "C29",
    group: "checkpointer",
    statement: "Plain records in a sealed log are refused, and sealed records in a plain one",
    reason:
      "The reader decides how a log is read; records that decide for themselves can be forged",
    reports: ["langchain-ai/langgraph#8938"],
    cases: [
      {
        name: "read, fork and append of a plain log with the codec are refused and change nothing",
        async run({ codec, check }) {
          const store = createMapStore();
          await open(store).append(id, numbered(1, 2));
          const before = store.content();
          const handle = open(store, codec);
          const code = "PLAINTEXT_IN_SEALED_LOG";
          await check.fails(handle.read(id), code);
          await check.fails(handle.read(id, { reverse: true }), code);
          await check.fails(handle.fork(id, 1, "copy"), code);
          await check.fails(handle.append(id, numbered(3, 3)), code);
          check.same(store.content(), before, "what is stored");
        },
      },
      {
        name: "read, fork and append of a sealed log without the codec are refused and change nothing",
        async run({ codec, check }) {
          const store = createMapStore();
          await open(store, codec).append(id, numbered(1, 2));
          const before = store.content();
          const handle = open(store);
          const code = "SEALED_IN_PLAIN_LOG";
          await check.fails(handle.read(id), code);
          await check.fails(handle.fork(id, 1, "copy"), code);
          await check.fails(handle.append(id, numbered(3, 3)), code);
          check.same(store.content(), before, "what is stored");
        },
      },
    ],
  },
  {
    id: "C30",
    group: "checkpointer",
    requires: ["authenticates", "foreign"],
    statement: "A handle with another key reads nothing, writes nothing and destroys nothing",
    reason:
      "A deployment with the wrong key once read every session as empty and deleted what it could not read",
    reports: ["openai/openai-agents-python#5005"],
    cases: [
      {
        name: "read, fork, append and verify with another key are refused, and the right key reads on",
        async run({ codec, createForeign, check }) {
          const store = createMapStore();
          const owner = open(store, codec);
          await owner.append(id, numbered(1, 3));
          const before = store.content();
          const stranger = open(store, await createForeign());
          const codes = ["KEY_UNKNOWN", "WRONG_KEY", "KEY_DISABLED"] as const;
          await check.fails(stranger.read(id), ...codes);
          await check.fails(stranger.read(id, { reverse: true }), ...codes);
          await check.fails(stranger.fork(id, 2, "copy"), ...codes);
          await check.fails(stranger.append(id, numbered(4, 4)), ...codes);
          const [report] = await collect(stranger.verify(id));
          check.same(report?.ok, false, "verify");
          check.same(store.content(), before, "what is stored");
          check.same(await owner.append(id, numbered(4, 4)), 4);
          check.equal(await numbersOf(owner), [1, 2, 3, 4]);
        },
      },
    ],
  },
  {
    id: "C31",
    group: "checkpointer",
    statement: "An event that cannot be encoded fails alone, and nothing else is lost",
    reason: "Appends that wait are encoded together; one that fails makes the others start over",
    cases: [
      {
        name: "append of a group with one that fails gives every other its seq",
        async run({ codec, create, check }) {
          const store = createMapStore();
          const handle = open(store, failingAt(3, codec));
          await failureOf(handle.append(id, numbered(2, 3)));
          check.equal(await handle.list(), []);
          const appends = [1, 2, 3, 4].map((n) => handle.append(id, numbered(n, n)));
          const results = await Promise.allSettled(appends);
          check.equal(
            results.map((result) => (result.status === "fulfilled" ? result.value : null)),
            [1, 2, null, 3],
          );
          check.equal(await numbersOf(open(store, await create())), [1, 2, 4]);
        },
      },
    ],
  },
];
