import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileCheckpointer, type FileStoreOptions } from "../adapters/file/index.ts";
import { memoryStore } from "../adapters/memory/index.ts";
import { sqliteCheckpointer, type SqliteStoreOptions } from "../adapters/sqlite/index.ts";
import {
  createCheckpointer,
  type Anchor,
  type Checkpointer,
  type CheckpointerOptions,
  type Codec,
  type EventObject,
  type RecordStore,
} from "../src/index.ts";
import { sixMethods, withoutClose } from "./six-methods.ts";
import { asyncCodec, xorCodec } from "./xor-codec.ts";

/** A checkpointer that takes any JSON object. */
export type Handle = Checkpointer<EventObject>;

/** One isolated store, made for one test. */
export interface StoreFixture {
  /** A new handle onto this store; the same one each time where one object is all that is safe. */
  open(): Handle;
  /** A new handle with another codec, or with none. */
  openWith(codec: Codec | undefined): Handle;
  /** Holds `home`, which holds the store's `store*`, and nothing else; null in memory. */
  readonly directory: string | null;
  /** Closes every handle and removes the store. */
  dispose(): Promise<void>;
}

/** A way to store sessions, as the contract tests run over it. */
export interface StoreKind {
  readonly name: string;
  create(): StoreFixture;
}

/** Opens handles onto one store. */
export type OpenHandle = (options: CheckpointerOptions) => Handle;

/** An adapter, made in an empty directory. */
export interface Adapter {
  readonly name: string;
  readonly inMemory: boolean;
  connect(directory: string): OpenHandle;
}

/** One object, which is as far as its promise of concurrency goes. */
export const memoryAdapter: Adapter = storeAdapter("memory", memoryStore);

/** Many engines over one store that has nothing but the six methods. */
export const sixMethodAdapter: Adapter = {
  name: "six-method store",
  inMemory: true,
  connect() {
    const store = withoutClose(sixMethods(memoryStore()));
    return (options) => createCheckpointer<EventObject>(store, options);
  },
};

/** With short lock times, so that handles that take turns lose little time. */
export function fileAdapter(options: Partial<FileStoreOptions> = {}): Adapter {
  return {
    name: "file",
    inMemory: false,
    connect: (directory) => (engine) =>
      fileCheckpointer<EventObject>({
        dir: join(directory, "store"),
        lockLingerMs: 5,
        ...options,
        ...engine,
      }),
  };
}

/** One database file. */
export function sqliteAdapter(options: Partial<SqliteStoreOptions> = {}): Adapter {
  return {
    name: "sqlite",
    inMemory: false,
    connect: (directory) => (engine) =>
      sqliteCheckpointer<EventObject>({ file: join(directory, "store.db"), ...options, ...engine }),
  };
}

/** An adapter over stores that are safe within one handle only, so each codec has one handle. */
export function storeAdapter(name: string, createStore: () => RecordStore): Adapter {
  return {
    name,
    inMemory: true,
    connect() {
      const store = withoutClose(createStore());
      const handles = new Map<Codec | undefined, Handle>();
      return (options) => {
        const { codec } = options;
        const handle = handles.get(codec) ?? createCheckpointer<EventObject>(store, options);
        handles.set(codec, handle);
        return handle;
      };
    },
  };
}

/** An adapter with one codec, or with none; and with an anchor or without. */
export function storeKind(
  adapter: Adapter,
  name: string,
  codec?: Codec,
  createAnchor?: () => Anchor,
): StoreKind {
  return {
    name: `${adapter.name}, ${name}`,
    create() {
      const anchor = createAnchor?.();
      const root = adapter.inMemory ? null : mkdtempSync(join(tmpdir(), "checkpointer-kit-"));
      const home = join(root ?? "", "home");
      if (root !== null) mkdirSync(home);
      const connect = adapter.connect(home);
      const handles = new Set<Handle>();
      const openWith = (other: Codec | undefined): Handle => {
        const handle = connect({ codec: other, anchor });
        handles.add(handle);
        return handle;
      };
      return {
        directory: root,
        open: () => openWith(codec),
        openWith,
        async dispose() {
          await Promise.all([...handles].map((handle) => handle.close()));
          if (root !== null) rmSync(root, { recursive: true });
        },
      };
    },
  };
}

/** The three ways to run an adapter: plain, sealed at once, and sealed with awaits in between. */
export function codecKinds(adapter: Adapter): StoreKind[] {
  return [
    storeKind(adapter, "plain"),
    storeKind(adapter, "sync codec", xorCodec()),
    storeKind(adapter, "async codec", asyncCodec(xorCodec())),
  ];
}

/** Every adapter at its default durability. */
export const adapters: readonly Adapter[] = [
  memoryAdapter,
  sixMethodAdapter,
  fileAdapter(),
  sqliteAdapter(),
];
