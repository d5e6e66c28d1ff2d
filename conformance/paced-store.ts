import type { RecordStore } from "../src/index.ts";
import type { Pace } from "./fixture.ts";

/** A store that awaits `pace` before every call and every page; see `Fixture.openPaced`. */
export function pacedStore(store: RecordStore, pace: Pace): RecordStore {
  return {
    ...store,
    async head(sessionId) {
      await pace("head");
      return store.head(sessionId);
    },
    async commit(sessionId, change) {
      await pace("commit");
      return store.commit(sessionId, change);
    },
    async *read(sessionId, range) {
      await pace("read");
      for await (const page of store.read(sessionId, range)) {
        yield page;
        await pace("next page");
      }
    },
    async list(page) {
      await pace("list");
      return store.list(page);
    },
    async delete(sessionId) {
      await pace("delete");
      await store.delete(sessionId);
    },
  };
}
