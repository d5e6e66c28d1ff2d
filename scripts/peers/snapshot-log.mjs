// A log over a peer that keeps one value per session: read it, add to it, write it back.

import { requireHead } from "./bridge.mjs";
import { createQueues } from "./queues.mjs";

/**
 * The log of a peer with `load(id)`, which gives `{ records, time }` or undefined, `save(id, snapshot, loaded)`,
 * `remove(id)` and `ids()`. Changes of a session queue up, since between the load and the save there is nothing in such
 * a peer that would keep out another one; a queue reaches as far as its object does.
 */
export function snapshotLog({ load, save, remove, ids, close }) {
  const inTurn = createQueues();
  return {
    append: (sessionId, added, expectedHead, time) =>
      inTurn(sessionId, async () => {
        const loaded = await load(sessionId);
        const before = loaded?.records ?? [];
        const head = requireHead(sessionId, before.length, expectedHead);
        if (added.length === 0) return head;
        const records = [...before, ...added];
        await save(sessionId, { records, time }, loaded);
        return records.length;
      }),
    async read(sessionId) {
      const { records = [] } = (await load(sessionId)) ?? {};
      return records.map((record, index) => ({ seq: index + 1, ...record }));
    },
    head: async (sessionId) => (await load(sessionId))?.records.length ?? 0,
    async list() {
      const sessions = [];
      for (const id of await ids()) {
        const loaded = await load(id);
        // Deleted since its id was listed.
        if (loaded === undefined) continue;
        sessions.push({ id, head: loaded.records.length, mtime: loaded.time });
      }
      return sessions;
    },
    delete: (sessionId) => inTurn(sessionId, () => remove(sessionId)),
    close,
  };
}
