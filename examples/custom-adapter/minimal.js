import { randomUUID } from "node:crypto";
import {
  CheckpointConflictError,
  CheckpointError,
  CorruptLogError,
  limits,
  requireSessionId,
} from "checkpointer-kit";
import { connectTo } from "./client.js";

/** Events in one answer of the server, and so in memory at once. */
const pageSize = 64;

/**
 * The five methods that every store of sessions must have, by hand: nothing of the kit's engine is behind
 * them. `session:<id>` is `{ log, seq, mtime }`, `log:<log>` the list of its events as JSON text.
 *
 * @param {{ address: string }} options path of a minikv server's socket
 * @returns {import("checkpointer-kit").MinimalCheckpointer & { close(): Promise<void> }}
 */
export function minimalCheckpointer({ address }) {
  const call = connectTo(address);
  /** The last append of each session, so that appends land in the order in which they were issued. */
  const last = new Map();

  async function look(sessionId) {
    requireSessionId(sessionId);
    const { revision, value } = await call("get", `session:${sessionId}`);
    return { revision, log: value?.log, seq: value?.seq ?? 0 };
  }

  async function add(sessionId, texts, expected) {
    const session = `session:${sessionId}`;
    for (;;) {
      const { revision, seq: head, log = randomUUID() } = await look(sessionId);
      if (expected !== undefined && expected !== head) {
        throw new CheckpointConflictError(sessionId, expected, head);
      }
      if (texts.length === 0) return head;
      const ts = new Date().toISOString();
      const items = texts.map((text, index) => JSON.stringify({ seq: head + index + 1, ts, text }));
      const seq = head + items.length;
      const steps = [
        ["push", `log:${log}`, ...items],
        ["set", session, { log, seq, mtime: nextTime() }],
      ];
      if (await call("exec", [[session, revision]], steps)) return seq;
    }
  }

  return {
    async append(sessionId, events, expectedHead) {
      requireSessionId(sessionId);
      if (expectedHead !== undefined) requireSeq("expectedHead", expectedHead);
      const texts = events.map(serialize);
      const before = last.get(sessionId);
      const added = (async () => {
        await before?.catch(() => undefined);
        return add(sessionId, texts, expectedHead);
      })();
      last.set(sessionId, added);
      return added.finally(() => last.get(sessionId) === added && last.delete(sessionId));
    },

    async *read(sessionId, { sinceSeq = 0 } = {}) {
      requireSeq("sinceSeq", sinceSeq);
      const { log, seq: head } = await look(sessionId);
      for (let from = sinceSeq + 1; from <= head; from += pageSize) {
        const to = Math.min(head, from + pageSize - 1);
        const items = await call("range", `log:${log}`, from, to);
        if (items === null) throw new CheckpointError("LOG_CHANGED", "The session was deleted");
        for (let seq = from; seq <= to; seq += 1) {
          const { ts, event } = parse(sessionId, seq, items[seq - from]);
          yield { seq, sessionId, parentSeq: seq === 1 ? null : seq - 1, ts, event };
        }
      }
    },

    async head(sessionId) {
      return (await look(sessionId)).seq;
    },

    async list() {
      const sessions = await call("scan", "session:");
      const infos = sessions.map(([key, { seq, mtime }]) => ({
        id: key.slice(8),
        head: seq,
        mtime,
      }));
      return infos.sort((left, right) => right.mtime - left.mtime);
    },

    async delete(sessionId) {
      for (;;) {
        const { revision, log } = await look(sessionId);
        if (log === undefined) return;
        const session = `session:${sessionId}`;
        const steps = [session, `log:${log}`].map((key) => ["delete", key]);
        if (await call("exec", [[session, revision]], steps)) return;
      }
    },

    async close() {
      call.close();
    },
  };
}

function requireSeq(name, value) {
  if (typeof value !== "number") throw new TypeError(`${name}: wanted a number`);
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new RangeError(`${name}: wanted a whole number from 0, met ${value}`);
}

/** The JSON text of an event, made at the call, so that the caller may change the event afterwards. */
function serialize(event) {
  if (isJson(event) && typeof event === "object" && event !== null && !Array.isArray(event)) {
    return JSON.stringify(event);
  }
  throw new CheckpointError("EVENT_NOT_SERIALIZABLE", "An event holds what JSON cannot carry");
}

/** Whether JSON gives back exactly this value. A cycle is as deep as one may look. */
function isJson(value, depth = limits.maxEventDepth) {
  if (depth < 0) return false;
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || typeof value.toJSON === "function") return false;
  if (Array.isArray(value)) return Array.from(value).every((item) => isJson(item, depth - 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((item) => item === undefined || isJson(item, depth - 1));
}

function parse(sessionId, seq, item) {
  try {
    const stored = JSON.parse(item);
    if (stored.seq === seq) return { ts: stored.ts, event: JSON.parse(stored.text) };
  } catch {
    // Senseless text is told below, as another record is.
  }
  throw new CorruptLogError(sessionId, seq, null, "the record is not the one that was written");
}

let lastTime = 0;

/** Milliseconds since the epoch, with a fraction that orders changes inside one. */
function nextTime() {
  lastTime = Math.max(Date.now(), lastTime + 0.001);
  return lastTime;
}
