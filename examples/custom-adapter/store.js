import { CheckpointError, matchesBase, newGeneration, pageSessions } from "checkpointer-kit";
import { connectTo } from "./client.js";
import { formatRecord, parseRecord } from "./record.js";

/** Records in one answer of the server, and so in memory at once. */
const pageSize = 64;

/**
 * Sessions on a minikv server. `session:<id>` is the head, `{ generation, seq, mtime }`; `log:<generation>`
 * the list of its records; `keys:<generation>` a hash: idempotency key to first and last seq of its batch.
 *
 * @param {{ address: string }} options path of the server's socket
 * @returns {import("checkpointer-kit").RecordStore}
 */
export function minikvStore({ address }) {
  const call = connectTo(address);

  /** @returns null when the log has gone since its head was looked at */
  async function recordAt(sessionId, generation, seq) {
    const texts = await call("range", `log:${generation}`, seq, seq);
    return texts && parseRecord(sessionId, seq, texts[0]);
  }

  async function look(sessionId) {
    for (;;) {
      const { revision, value: stored } = await call("get", `session:${sessionId}`);
      if (stored === null) return { revision, head: null };
      const { generation, seq } = stored;
      if (seq === 0) return { revision, head: { generation, seq, tail: null } };
      const tail = await recordAt(sessionId, generation, seq);
      if (tail !== null) return { revision, head: { generation, seq, tail } };
    }
  }

  async function findDuplicate(sessionId, { generation, seq }, batches) {
    for (const key of batches.flatMap((batch) => batch.key ?? [])) {
      const [from, to] = (await call("field", `keys:${generation}`, key)) ?? [];
      if (from === undefined || to > seq) continue;
      // The record decides, since the hash also remembers batches that were cut.
      const last = await recordAt(sessionId, generation, to);
      if (last?.key === key) return { key, from, to };
    }
    return null;
  }

  /** A log gets another name when it is cut, so that no reader mixes two histories. */
  async function cut(sessionId, before, keep, after) {
    const steps = [
      ["rename", `log:${before}`, `log:${after}`],
      ["rename", `keys:${before}`, `keys:${after}`],
      ["trim", `log:${after}`, keep],
    ];
    const { key } = (await recordAt(sessionId, before, keep + 1)) ?? {};
    const [from] = (key === undefined ? null : await call("field", `keys:${before}`, key)) ?? [];
    let tail = keep === 0 ? null : await recordAt(sessionId, before, keep);
    // What stays of a batch that is cut loses its key.
    for (let seq = from ?? keep + 1; seq <= keep; seq += 1) {
      const record = await recordAt(sessionId, before, seq);
      // The log has gone, so these steps will be refused.
      if (record === null) break;
      tail = { ...record, key: undefined };
      steps.push(["put", `log:${after}`, seq, formatRecord(tail)]);
    }
    return { steps, tail };
  }

  return {
    capabilities,

    async head(sessionId) {
      return (await look(sessionId)).head;
    },

    async commit(sessionId, { base, keep = Infinity, batches, mtime }) {
      const session = `session:${sessionId}`;
      for (;;) {
        const { revision, head } = await look(sessionId);
        const duplicate = head && (await findDuplicate(sessionId, head, batches));
        if (duplicate) return { duplicate };
        if (!matchesBase(head, base)) return { conflict: head };
        const cuts = head !== null && keep < head.seq;
        if (!cuts && batches.length === 0) return { head };
        const generation = cuts || head === null ? newGeneration() : head.generation;
        const { steps, tail: kept } = cuts
          ? await cut(sessionId, head.generation, keep, generation)
          : { steps: [], tail: head?.tail ?? null };
        let tail = kept;
        let seq = cuts ? keep : (head?.seq ?? 0);
        for (const { key, records } of batches) {
          const place = [seq + 1, seq + records.length];
          if (key !== undefined) steps.push(["field", `keys:${generation}`, key, place]);
          const batch = records.map((record) => ({ seq: (seq += 1), ...record, key }));
          steps.push(["push", `log:${generation}`, ...batch.map(formatRecord)]);
          tail = batch.at(-1);
        }
        steps.push(["set", session, { generation, seq, mtime }]);
        // All steps or none, and none if anybody has changed the head since it was looked at.
        const done = await call("exec", [[session, revision]], steps);
        if (done) return { head: { generation, seq, tail } };
      }
    },

    async *read(sessionId, { sinceSeq, untilSeq, limit, reverse, generation }) {
      const { value: stored } = await call("get", `session:${sessionId}`);
      if (generation !== undefined && generation !== stored?.generation) throw changed();
      const high = Math.min(untilSeq, stored?.seq ?? 0);
      const count = Math.min(limit, high - sinceSeq);
      for (let done = 0; done < count; done += pageSize) {
        const size = Math.min(pageSize, count - done);
        const from = reverse ? high - done - size + 1 : sinceSeq + done + 1;
        const texts = await call("range", `log:${stored.generation}`, from, from + size - 1);
        if (texts === null) throw changed();
        // One by one, so that what comes before a damaged record is delivered.
        for (let index = 0; index < size; index += 1) {
          const place = reverse ? size - 1 - index : index;
          yield [parseRecord(sessionId, from + place, texts[place])];
        }
      }
    },

    async list(page) {
      const sessions = await call("scan", "session:");
      const infos = sessions.map(([key, { seq, mtime }]) => ({
        id: key.slice(8),
        head: seq,
        mtime,
      }));
      return pageSessions(infos, page);
    },

    async delete(sessionId) {
      const session = `session:${sessionId}`;
      for (;;) {
        const { revision, value: stored } = await call("get", session);
        if (stored === null) return;
        const names = [session, `log:${stored.generation}`, `keys:${stored.generation}`];
        const steps = names.map((name) => ["delete", name]);
        if (await call("exec", [[session, revision]], steps)) return;
      }
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
  idempotency: true,
});

function changed() {
  return new CheckpointError("LOG_CHANGED", "The log was truncated or deleted while it was read");
}
