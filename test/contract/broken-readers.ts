import type { RecordRange, RecordStore, StoredRecord } from "../../src/index.ts";
import type { BrokenStore } from "./broken-stores.ts";
import { collect } from "./rule.ts";

/** A store whose `read` changes pages. */
function paging(
  good: RecordStore,
  change: (page: readonly StoredRecord[]) => readonly StoredRecord[],
): RecordStore {
  return {
    ...good,
    async *read(sessionId, range) {
      for await (const page of good.read(sessionId, range)) yield change(page);
    },
  };
}

/** A store whose `read` is asked for another range. */
function ranging(good: RecordStore, change: (range: RecordRange) => RecordRange): RecordStore {
  return { ...good, read: (sessionId, range) => good.read(sessionId, change(range)) };
}

/** JSON text with its keys in another order, as `jsonb` columns keep them. */
function sortKeys(payload: StoredRecord["payload"]): StoredRecord["payload"] {
  if (typeof payload !== "string") return payload;
  return JSON.stringify(JSON.parse(payload), (_key, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** Stores that read or list wrongly. */
export const brokenReaders: readonly BrokenStore[] = [
  {
    fault: "takes sinceSeq as included",
    break: (good) =>
      ranging(good, (range) => ({ ...range, sinceSeq: Math.max(0, range.sinceSeq - 1) })),
    caughtBy: ["read() starts behind sinceSeq, for every seq"],
  },
  {
    fault: "takes untilSeq as excluded",
    break: (good) => ranging(good, (range) => ({ ...range, untilSeq: range.untilSeq - 1 })),
    caughtBy: ["read() ends with untilSeq, for every seq and in both directions"],
  },
  {
    fault: "counts the limit from the wrong end",
    break: (good) => ({
      ...good,
      async *read(sessionId, range) {
        const pages = await collect(good.read(sessionId, { ...range, limit: Infinity }));
        const records = pages.flat();
        yield range.limit === Infinity ? records : records.slice(-range.limit);
      },
    }),
    caughtBy: ["read() of any range equals slicing the whole"],
  },
  {
    fault: "orders seqs as text",
    break: (good) => ({
      ...good,
      async *read(sessionId, range) {
        const records = (await collect(good.read(sessionId, range))).flat();
        yield records.toSorted((a, b) => (`${a.seq}` < `${b.seq}` ? -1 : 1));
      },
    }),
    caughtBy: ["append() numbers events densely from 1 and returns the new head"],
  },
  {
    fault: "loses the last record of a page",
    break: (good) => paging(good, (page) => (page.length > 1 ? page.slice(0, -1) : page)),
    caughtBy: ["read() of any range of a log of many pages equals slicing the whole"],
  },
  {
    fault: "keeps payloads in a column that sorts keys",
    break: (good) =>
      paging(good, (page) =>
        page.map((record) => ({ ...record, payload: sortKeys(record.payload) })),
      ),
    caughtBy: [
      "read() gives back what stores have been known to change",
      "read() gives back generated events exactly as they were appended",
    ],
  },
  {
    fault: "reads a log that grows for as long as it grows",
    break: (good) => ({
      ...good,
      async *read(sessionId, range) {
        let { sinceSeq } = range;
        for (let size = 1; size > 0; sinceSeq += size) {
          size = 0;
          for await (const page of good.read(sessionId, { ...range, sinceSeq })) {
            size += page.length;
            yield page;
          }
        }
      },
    }),
    caughtBy: ["read() ends although every event that it yields leads to another append"],
  },
  {
    fault: "goes on in a new log where it left the old one",
    break: (good) => ({
      ...good,
      async *read(sessionId, { sinceSeq, untilSeq }) {
        for (let next = sinceSeq; next < untilSeq; next += 1) {
          const range = { sinceSeq: next, untilSeq: next + 1, limit: 1, reverse: false };
          let found = false;
          for await (const page of good.read(sessionId, range)) {
            found = true;
            yield page;
          }
          if (!found) return;
        }
      },
    }),
    caughtBy: [
      "read() of a log that is truncated is the old view or LOG_CHANGED",
      "read() of a log that is deleted and born again is the old view or LOG_CHANGED",
    ],
  },
  {
    fault: "fails a read when anything else happens meanwhile",
    break(good) {
      let calls = 0;
      return {
        ...good,
        head: (sessionId) => {
          calls += 1;
          return good.head(sessionId);
        },
        async *read(sessionId, range) {
          const before = calls;
          for await (const page of good.read(sessionId, range)) {
            for (const record of page) {
              if (calls !== before) throw new Error("This connection is busy");
              yield [record];
            }
          }
        },
      };
    },
    caughtBy: ["read() lets every other call run inside its loop"],
  },
  {
    fault: "reports one generation for every history",
    break: (good) => ({
      ...good,
      async head(sessionId) {
        const head = await good.head(sessionId);
        return head === null ? null : { ...head, generation: "g" };
      },
    }),
    caughtBy: [
      "headToken() never repeats in one session",
      "tail() fails with LOG_CHANGED when the log is truncated or deleted",
    ],
  },
  {
    fault: "lists by millisecond",
    break: (good) => ({
      ...good,
      async list(page) {
        const sessions = await good.list({ limit: Infinity, prefix: page.prefix });
        const coarse = sessions.map((info) => ({ ...info, mtime: Math.floor(info.mtime) }));
        coarse.sort((a, b) => b.mtime - a.mtime || (a.id < b.id ? -1 : 1));
        return coarse.slice(0, page.limit);
      },
    }),
    caughtBy: [
      "list() keeps the order of changes inside one millisecond",
      "list() in pages equals the whole list, also where times are close",
    ],
  },
  {
    fault: "lists by name",
    break: (good) => ({
      ...good,
      async list(page) {
        return (await good.list(page)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      },
    }),
    caughtBy: ["list() puts the most recent change first, whichever handle made it"],
  },
  {
    fault: "takes a prefix for a pattern",
    break: (good) => ({
      ...good,
      async list(page) {
        const pattern = page.prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
        const like = new RegExp(`^${pattern.replaceAll("%", ".*").replaceAll("_", ".")}`, "s");
        const sessions = await good.list({ ...page, prefix: "" });
        return sessions.filter(({ id }) => like.test(id));
      },
    }),
    caughtBy: ["list() takes a prefix literally"],
  },
  {
    fault: "changes its mind about what it can do",
    break: (good) => ({ ...good, capabilities: { ...good.capabilities, truncate: false } }),
    caughtBy: ["capabilities are frozen, survive JSON, and are the same for every handle"],
  },
];
