// Stores that are odd and right. The suite has to pass them: what it asks for beyond the contract, it
// would ask of strangers too.

import { createHash } from "node:crypto";
import type { CreateFixture } from "../../conformance/fixture.ts";
import { turn } from "../../conformance/session-state.ts";
import { memoryStore } from "../../adapters/memory/index.ts";
import { aesGcm, compress, generateKey, keyRing, pipeline } from "../../codecs/index.ts";
import {
  CheckpointError,
  createCheckpointer,
  pageSessions,
  sealedCheckpointer,
  type CheckpointerOptions,
  type EventObject,
  type MinimalCheckpointer,
  type RecordStore,
  type SealedEvent,
  type StoreCapabilities,
} from "../../src/index.ts";
import { sixMethods, withoutClose } from "../six-methods.ts";
import { minimalCheckpointer, goodParts } from "./minimal-checkpointer.ts";
import { childStore } from "./variants/child-store.ts";

/** An odd store, and why a suite might trip over it. */
export interface Variant {
  readonly name: string;
  readonly createFixture: CreateFixture;
  /** What the kit itself promises there and does not keep; has to stay exact, so that it is noticed. */
  readonly fallsShort?: readonly string[];
}

const processWide = { concurrency: "process" } as const;

function over(
  change: (store: RecordStore) => RecordStore,
  options: () => CheckpointerOptions = () => ({}),
): CreateFixture {
  return () => {
    const store = change(withoutClose(memoryStore()));
    const shared = options();
    return {
      name: "variant",
      open: () => createCheckpointer<EventObject>(store, shared),
      dispose: () => undefined,
    };
  };
}

function promising(store: RecordStore, claims: Partial<StoreCapabilities>): RecordStore {
  return { ...store, capabilities: { ...store.capabilities, ...processWide, ...claims } };
}

/** Numbers from 0 to below `limit`, the same ones in every run. */
function createDice(): (limit: number) => number {
  let state = 20_261;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Waits for a while before and after everything, each time for another while. */
function slow(store: RecordStore): RecordStore {
  const dice = createDice();
  const dawdle = async (): Promise<void> => {
    for (let turns = dice(4); turns > 0; turns -= 1) await turn();
  };
  const slowly = async <T>(work: () => Promise<T>): Promise<T> => {
    await dawdle();
    const result = await work();
    await dawdle();
    return result;
  };
  return {
    ...promising(store, {}),
    head: (sessionId) => slowly(() => store.head(sessionId)),
    commit: (sessionId, change) => slowly(() => store.commit(sessionId, change)),
    list: (page) => slowly(() => store.list(page)),
    delete: (sessionId) => slowly(() => store.delete(sessionId)),
    async *read(sessionId, range) {
      await dawdle();
      for await (const page of store.read(sessionId, range)) {
        yield page;
        await dawdle();
      }
    },
  };
}

function onePerPage(store: RecordStore): RecordStore {
  return {
    ...promising(store, {}),
    async *read(sessionId, range) {
      for await (const page of store.read(sessionId, range)) {
        for (const record of page) yield Object.freeze([Object.freeze(record)]);
      }
    },
  };
}

/** Keeps digests where others keep ids, and the ids aside. */
function hashing(store: RecordStore): RecordStore {
  const ids = new Map<string, string>();
  const digest = (sessionId: string): string => {
    const name = createHash("sha256").update(sessionId, "utf8").digest("hex");
    ids.set(name, sessionId);
    return name;
  };
  return {
    capabilities: promising(store, {}).capabilities,
    close: () => store.close(),
    head: (sessionId) => store.head(digest(sessionId)),
    commit: (sessionId, change) => store.commit(digest(sessionId), change),
    read: (sessionId, range) => store.read(digest(sessionId), range),
    delete: (sessionId) => store.delete(digest(sessionId)),
    async list(page) {
      const sessions = await store.list({ limit: Infinity, prefix: "" });
      return pageSessions(
        sessions.map((info) => ({ ...info, id: ids.get(info.id) ?? info.id })),
        page,
      );
    },
  };
}

/** Reads on into what was appended meanwhile, once; a log that was replaced it gives up. */
function readingAhead(store: RecordStore): RecordStore {
  return {
    ...promising(store, { readIsolation: "prefix" }),
    async *read(sessionId, range) {
      const first = await store.head(sessionId);
      const { generation } = first ?? {};
      if (range.generation !== undefined && generation !== range.generation) {
        throw new CheckpointError("LOG_CHANGED", "Cannot read: the log was replaced");
      }
      let last = range.sinceSeq;
      for await (const page of store.read(sessionId, range)) {
        for (const record of page) {
          if ((await store.head(sessionId))?.generation !== generation) {
            throw new CheckpointError("LOG_CHANGED", "Cannot read: the log was replaced");
          }
          yield [record];
          last = record.seq;
        }
      }
      if (range.reverse || range.limit !== Infinity || generation === undefined) return;
      yield* store.read(sessionId, {
        ...range,
        sinceSeq: Math.max(last, range.sinceSeq),
        generation,
      });
    },
  };
}

/** Tells of every second commit one turn later, as a store that groups its answers does. */
function groupingAnswers(store: RecordStore): RecordStore {
  let commits = 0;
  let told: Promise<unknown> = Promise.resolve();
  return {
    ...promising(store, {}),
    async commit(sessionId, change) {
      commits += 1;
      const late = commits % 2 === 0;
      const outcome = await store.commit(sessionId, change);
      const before = told;
      told = (async () => {
        await before;
        if (late) await turn();
      })();
      await told;
      return outcome;
    },
  };
}

const limits = { maxEventBytes: 2_097_152, maxBatchEvents: 5_000, maxSessionIdBytes: 512 };

function minimal(withTruncate: boolean): CreateFixture {
  return () => {
    const parts = goodParts();
    return {
      name: "minimal",
      manifest: processWide,
      open() {
        const handle = minimalCheckpointer(parts);
        if (!withTruncate) delete handle.truncate;
        return handle;
      },
      dispose: () => undefined,
    };
  };
}

const sealing = (): CheckpointerOptions => ({
  codec: pipeline(compress(), aesGcm({ keys: keyRing({ primary: generateKey() }) })),
});

/** Every variant. */
export const variants: readonly Variant[] = [
  { name: "answers after a while", createFixture: over(slow) },
  { name: "has one frozen event in a page", createFixture: over(onePerPage) },
  { name: "keeps digests of ids", createFixture: over(hashing) },
  { name: "has only the minimal methods and truncate()", createFixture: minimal(true) },
  { name: "has only the minimal methods", createFixture: minimal(false) },
  { name: "has limits of its own", createFixture: over((store) => promising(store, { limits })) },
  { name: "reads on into what is appended", createFixture: over(readingAhead) },
  { name: "groups its answers", createFixture: over(groupingAnswers) },
  { name: "is sealed", createFixture: over((store) => promising(store, {}), sealing) },
  { name: "is a process of its own, behind JSON lines", createFixture: childStore },
  {
    name: "opens its handles later",
    createFixture: () => {
      const store = withoutClose(sixMethods(memoryStore()));
      return {
        name: "variant",
        async open() {
          await turn();
          return createCheckpointer<EventObject>(store);
        },
        dispose: () => undefined,
      };
    },
  },
  {
    name: "is a minimal checkpointer, sealed from outside",
    // Without generations an empty session looks absent, and one history like another.
    fallsShort: ["B3"],
    createFixture: () => {
      const inner = minimalCheckpointer() as unknown as MinimalCheckpointer<SealedEvent>;
      const handle = sealedCheckpointer<EventObject>(inner, sealing().codec!);
      return { name: "variant", open: () => handle, dispose: () => handle.close() };
    },
  },
];
