// Stores and wrappers that count, wait and fail as a test wants, and logs to seal with their keys.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { fileStore } from "../../adapters/file/index.ts";
import { memoryStore } from "../../adapters/memory/index.ts";
import { sqliteStore } from "../../adapters/sqlite/index.ts";
import {
  aesGcm,
  localWrapper,
  memoryKeyStore,
  sessionKeys,
  type KeySource,
  type KeyWrapper,
  type SessionKeySource,
  type SessionKeysOptions,
} from "../../codecs/index.ts";
import {
  createCheckpointer,
  type Checkpointer,
  type RecordStore,
  type SessionKeyStore,
} from "../../src/index.ts";

/** A key-encryption key, the same for the same number. */
export function kek(number: number): Uint8Array {
  return new Uint8Array(32).fill(number);
}

/** Names of what can be called on a store or a wrapper. */
export type CallName = Exclude<keyof SessionKeyStore, "list"> | "wrap" | "unwrap";

/** Sees every call, and may hold it back or make it fail. */
export interface Watch {
  readonly calls: CallName[];
  count(name: CallName): number;
  /** Runs before each call; a rejection becomes the call's. */
  before: (name: CallName) => Promise<void> | void;
}

/** A watch that lets everything pass. */
export function createWatch(): Watch {
  const calls: CallName[] = [];
  return {
    calls,
    count: (name) => calls.filter((call) => call === name).length,
    before: () => undefined,
  };
}

/** Passes calls on to a store, seen by a watch. */
export function watchedStore(inner: SessionKeyStore, watch: Watch): SessionKeyStore {
  const through = async <T>(name: CallName, work: () => Promise<T>): Promise<T> => {
    watch.calls.push(name);
    await watch.before(name);
    return work();
  };
  return {
    get: (sessionId) => through("get", () => inner.get(sessionId)),
    add: (sessionId, key) => through("add", () => inner.add(sessionId, key)),
    replace: (sessionId, keys) => through("replace", () => inner.replace(sessionId, keys)),
    shred: (sessionId) => through("shred", () => inner.shred(sessionId)),
    revive: (sessionId) => through("revive", () => inner.revive(sessionId)),
    list: () => inner.list(),
    // The store belongs to the test, which may open several sources on it.
    close: () => Promise.resolve(),
  };
}

/** Passes calls on to a wrapper, seen by a watch. */
export function watchedWrapper(inner: KeyWrapper, watch: Watch): KeyWrapper {
  return {
    id: inner.id,
    opens: inner.opens,
    async wrap(key, context, signal) {
      watch.calls.push("wrap");
      await watch.before("wrap");
      return inner.wrap(key, context, signal);
    },
    async unwrap(wrapped, context, signal) {
      watch.calls.push("unwrap");
      await watch.before("unwrap");
      return inner.unwrap(wrapped, context, signal);
    },
  };
}

/** A store and a KEK, and any number of processes, so to speak, that use them. */
export interface KeyRoom {
  readonly store: SessionKeyStore;
  readonly watch: Watch;
  /** A source with nothing in memory. */
  open(options?: Partial<SessionKeysOptions>): SessionKeySource;
}

/** A room in memory. */
export function createKeyRoom(store: SessionKeyStore = memoryKeyStore()): KeyRoom {
  const watch = createWatch();
  return {
    store,
    watch,
    open(options = {}) {
      const wrapper = watchedWrapper(localWrapper({ key: kek(1) }), watch);
      const source = sessionKeys({ store: watchedStore(store, watch), wrapper, ...options });
      onTestFinished(() => source.close());
      return source;
    },
  };
}

/** A log, and any number of handles onto it. */
export interface LogRoom {
  readonly name: string;
  open(keys: KeySource): Checkpointer;
  /** The records as they are stored. */
  payloads(sessionId: string): Promise<Uint8Array[]>;
}

/** A room for each adapter, removed after the test. */
export const logRooms: ReadonlyArray<{ name: string; create(): LogRoom }> = [
  {
    name: "memory",
    create() {
      const store = { ...memoryStore(), close: async () => undefined };
      return logRoom("memory", () => store);
    },
  },
  {
    name: "file",
    create() {
      const dir = join(temporaryDirectory(), "logs");
      return logRoom("file", () => fileStore({ dir, lockLingerMs: 0 }));
    },
  },
  {
    name: "sqlite",
    create() {
      const file = join(temporaryDirectory(), "logs.db");
      return logRoom("sqlite", () => sqliteStore({ file }));
    },
  },
];

function logRoom(name: string, open: () => RecordStore): LogRoom {
  return {
    name,
    open(keys) {
      const checkpointer = createCheckpointer(open(), { codec: aesGcm({ keys }) });
      onTestFinished(() => checkpointer.close());
      return checkpointer;
    },
    async payloads(sessionId) {
      const store = open();
      const range = { sinceSeq: 0, untilSeq: Infinity, limit: Infinity, reverse: false };
      const payloads: Uint8Array[] = [];
      for await (const page of store.read(sessionId, range)) {
        for (const { payload } of page) {
          payloads.push(
            typeof payload === "string" ? Buffer.from(payload) : Uint8Array.from(payload),
          );
        }
      }
      await store.close();
      return payloads;
    },
  };
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "checkpointer-kit-keys-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An event. */
export function say(content: string): { type: "user"; content: string } {
  return { type: "user", content };
}

/** What a log says, oldest first. */
export async function readAll(checkpointer: Checkpointer, sessionId: string): Promise<string[]> {
  const contents: string[] = [];
  for await (const { event } of checkpointer.read(sessionId)) {
    const { content } = event as { content?: unknown };
    contents.push(typeof content === "string" ? content : event.type);
  }
  return contents;
}

/** Waits, and lets a test say when. */
export interface Gate {
  /** Callers that have come to the gate so far. */
  readonly waiting: () => number;
  readonly pass: () => Promise<void>;
  readonly open: () => void;
}

/** A gate that is closed. */
export function createGate(): Gate {
  let waiting = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => void (open = resolve));
  return {
    open: () => open(),
    waiting: () => waiting,
    pass() {
      waiting += 1;
      return opened;
    },
  };
}
