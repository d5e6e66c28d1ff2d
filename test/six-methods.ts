import type { RecordStore, StoredRecord } from "../src/index.ts";

/** Records in one page, so that every test with a few events crosses pages. */
const pageSize = 3;

/**
 * What a backend author who writes only the six methods hands in: no optional method, tiny pages,
 * frozen results, and a turn of the event loop before each answer.
 */
export function sixMethods(store: RecordStore): RecordStore {
  return {
    capabilities: { ...store.capabilities, concurrency: "process" },
    async head(sessionId) {
      await turn();
      return deepFreeze(await store.head(sessionId));
    },
    async commit(sessionId, change) {
      await turn();
      const outcome = await store.commit(sessionId, change);
      await turn();
      return deepFreeze(outcome);
    },
    async *read(sessionId, range) {
      for await (const page of store.read(sessionId, range)) yield* pagesOf(page);
    },
    async list(page) {
      await turn();
      return store.list(page);
    },
    delete: (sessionId) => store.delete(sessionId),
    close: () => store.close(),
  };
}

/** Keeps what is stored when a handle closes, as a store outside the process would. */
export function withoutClose(store: RecordStore): RecordStore {
  return { ...store, close: async () => {} };
}

function* pagesOf(records: readonly StoredRecord[]): Generator<readonly StoredRecord[]> {
  for (let start = 0; start < records.length; start += pageSize) {
    yield deepFreeze(records.slice(start, start + pageSize));
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Bytes cannot be frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}
