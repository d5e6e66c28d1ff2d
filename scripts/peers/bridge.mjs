// What every bridge has in common. A peer is asked for what it is there for: to keep events and give them back. What
// only our contract knows, such as its error codes, is answered here, so that no peer fails for a word it never used.

import { CheckpointConflictError, CheckpointError } from "../../dist/src/index.js";
import { serializeEvent } from "../../dist/src/serialize-event.js";

/** Thrown for a method that the peer has nothing for; the report says so, instead of a failure. */
export const notInApi = "not in the peer's API";

export function lacking(method) {
  return async () => {
    throw new Error(`${notInApi}: ${method}`);
  };
}

/**
 * A `MinimalCheckpointer` over a peer's log: `append(id, records, expectedHead)`, `read(id)` with records of seq, ts
 * and event, `head(id)`, `list()`, `delete(id)` and `close()`.
 *
 * Done here and not by the peer: arguments are checked, what JSON cannot carry is refused, events are copied at the
 * call, `sinceSeq` is cut from a whole read, and errors get our codes. An append of no records is the log's business,
 * since only it knows whose turn it is; it compares heads and changes nothing.
 */
export function createBridge(log) {
  return {
    async append(sessionId, events, expectedHead) {
      requireSeq(expectedHead, "expectedHead");
      const captured = events.map((event, index) =>
        JSON.parse(serializeEvent(event, index, maxEventBytes)),
      );
      const time = nextTime();
      const ts = new Date(time).toISOString();
      const records = captured.map((event) => ({ ts, event }));
      return change(() => log.append(sessionId, records, expectedHead, time));
    },
    async *read(sessionId, { sinceSeq } = {}) {
      requireSeq(sinceSeq, "sinceSeq");
      for (const { seq, ts, event } of await log.read(sessionId)) {
        if (seq <= (sinceSeq ?? 0)) continue;
        yield { seq, sessionId, parentSeq: seq === 1 ? null : seq - 1, ts, event };
      }
    },
    head: (sessionId) => log.head(sessionId),
    async list() {
      const sessions = await log.list();
      return sessions.toSorted((a, b) => b.mtime - a.mtime);
    },
    delete: (sessionId) => change(() => log.delete(sessionId)),
    close: async () => log.close?.(),
  };
}

/** The head, for a caller that insists on none or on this one. */
export function requireHead(sessionId, head, expectedHead) {
  if (expectedHead === undefined || expectedHead === head) return head;
  throw new CheckpointConflictError(sessionId, expectedHead, head);
}

const maxEventBytes = 64 * 1_048_576;

function requireSeq(value, name) {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return;
  throw new RangeError(`${name} has to be a seq`);
}

/** Busy databases and failing disks in our words; whether a failed write left something, no peer says. */
async function change(work) {
  try {
    return await work();
  } catch (error) {
    if (/^SQLITE_(?:BUSY|PROTOCOL)/.test(error.code)) {
      throw new CheckpointError("BUSY", error.message, { cause: error });
    }
    if (error.syscall === undefined) throw error;
    throw new CheckpointError("OUTCOME_UNKNOWN", error.message, { cause: error });
  }
}

let lastTime = 0;

/** The time of a change, whose fraction orders changes inside one millisecond. */
function nextTime() {
  lastTime = Math.max(Date.now(), lastTime + 1 / 1_024);
  return lastTime;
}
