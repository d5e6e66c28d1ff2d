import { matchesBase, newGeneration, pageSessions } from "checkpointer-kit";
import { connectTo } from "./client.js";

/**
 * The first version, as everybody writes it: a session is one value, read, changed and written back. It
 * works in every demo. docs/writing-an-adapter.md tells what the suite finds in it.
 *
 * @param {{ address: string }} options
 * @returns {import("checkpointer-kit").RecordStore}
 */
export function firstStore({ address }) {
  const call = connectTo(address);

  async function get(sessionId) {
    const { value } = await call("get", `session:${sessionId}`);
    return value;
  }

  function headOf(session) {
    if (session === null) return null;
    const { generation, records } = session;
    return { seq: records.length, generation, tail: records.at(-1) ?? null };
  }

  return {
    capabilities,

    async head(sessionId) {
      return headOf(await get(sessionId));
    },

    async commit(sessionId, { base, keep = Infinity, batches, mtime }) {
      const session = await get(sessionId);
      const head = headOf(session);
      if (!matchesBase(head, base)) return { conflict: head };
      const cuts = head !== null && keep < head.seq;
      if (!cuts && batches.length === 0) return { head };
      const records = session?.records.slice(0, keep) ?? [];
      for (const record of batches.flatMap((batch) => batch.records)) {
        records.push({ seq: records.length + 1, ...record });
      }
      const generation = cuts || head === null ? newGeneration() : head.generation;
      const changed = { generation, records, mtime };
      await call("exec", [], [["set", `session:${sessionId}`, changed]]);
      return { head: headOf(changed) };
    },

    async *read(sessionId, { sinceSeq, untilSeq, limit, reverse }) {
      const session = await get(sessionId);
      const records = session?.records.slice(sinceSeq, untilSeq) ?? [];
      yield (reverse ? records.reverse() : records).slice(0, limit);
    },

    async list(page) {
      const sessions = await call("scan", "session:");
      const infos = sessions.map(([key, { records, mtime }]) => {
        return { id: key.slice("session:".length), head: records.length, mtime };
      });
      return pageSessions(infos, page);
    },

    async delete(sessionId) {
      await call("exec", [], [["delete", `session:${sessionId}`]]);
    },

    async close() {
      call.close();
    },
  };
}

/** @type {import("checkpointer-kit").StoreCapabilities} */
const capabilities = Object.freeze({
  concurrency: "host",
  durability: "power",
  readIsolation: "snapshot",
  clock: "local",
  limits: { maxEventBytes: 2_097_152, maxBatchEvents: 5_000, maxSessionIdBytes: 512 },
  truncate: true,
  idempotency: false,
});
