// Stores that read something else than what was appended.

import {
  CheckpointError,
  type EventObject,
  type RecordRange,
  type RecordStore,
  type StoredEvent,
  type StoredRecord,
} from "../../../src/index.ts";
import { collect } from "../../../conformance/collect.ts";
import { committing, type HandleFault, type StoreFault } from "../faults.ts";
import { pause } from "../rendezvous.ts";

/** A store whose `read` changes records. */
const changing =
  (change: (record: StoredRecord) => StoredRecord): StoreFault =>
  () =>
  (good) => ({
    ...good,
    async *read(sessionId, range) {
      for await (const page of good.read(sessionId, range)) yield page.map(change);
    },
  });

/** A store whose `read` is asked for another range. */
const ranging =
  (change: (range: RecordRange) => RecordRange): StoreFault =>
  () =>
  (good): RecordStore => ({
    ...good,
    read: (sessionId, range) => good.read(sessionId, change(range)),
  });

/** A store whose `read` does something with all of its records. */
const arranging =
  (
    arrange: (records: StoredRecord[], range: RecordRange) => readonly StoredRecord[],
    ask: (range: RecordRange) => RecordRange = (range) => range,
  ): StoreFault =>
  () =>
  (good) => ({
    ...good,
    async *read(sessionId, range) {
      const records = (await collect(good.read(sessionId, ask(range)))).flat();
      const arranged = arrange(records, range);
      if (arranged.length > 0) yield arranged;
    },
  });

export const takesSinceAsIncluded: StoreFault = ranging((range) => ({
  ...range,
  sinceSeq: Math.max(0, range.sinceSeq - 1),
}));

export const takesUntilAsExcluded: HandleFault = () => (good) => ({
  ...good,
  read(sessionId, options) {
    const untilSeq = options?.untilSeq;
    const usable = Number.isSafeInteger(untilSeq) && untilSeq !== undefined && untilSeq > 0;
    return good.read(sessionId, usable ? { ...options, untilSeq: untilSeq - 1 } : options);
  },
});

export const countsLimitFromTheWrongEnd: StoreFault = arranging(
  (records, { limit }) => (limit === Infinity ? records : records.slice(-limit)),
  (range) => ({ ...range, limit: Infinity }),
);

export const limitsBeforeItFilters: StoreFault = arranging(
  (records, { sinceSeq, untilSeq }) =>
    records.filter(({ seq }) => seq > sinceSeq && seq <= untilSeq),
  (range) =>
    range.limit === Infinity ? range : { ...range, sinceSeq: 0, untilSeq: Number.MAX_SAFE_INTEGER },
);

export const ordersSeqsAsText: StoreFault = arranging((records, { reverse }) => {
  const sorted = records.toSorted((a, b) => (`${a.seq}` < `${b.seq}` ? -1 : 1));
  return reverse ? sorted.reverse() : sorted;
});

/** Each handle on a machine of its own, the second one with a clock that is an hour behind. */
export const ordersByTime: StoreFault = () => {
  let handles = 0;
  return (good) => {
    const late = handles % 2 === 1;
    handles += 1;
    const hourAgo = (ts: string) => new Date(Date.parse(ts) - 3_600_000).toISOString();
    return {
      ...committing(good, (sessionId, change) => {
        const batches = change.batches.map(({ key, records }) => ({
          key,
          records: records.map(({ ts, payload }) => ({ ts: late ? hourAgo(ts) : ts, payload })),
        }));
        return good.commit(sessionId, { ...change, batches });
      }),
      async *read(sessionId, range) {
        const records = (await collect(good.read(sessionId, range))).flat();
        const direction = range.reverse ? -1 : 1;
        if (records.length > 0) {
          yield records.toSorted((a, b) => direction * (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
        }
      },
    };
  };
};

const pageSize = 256;

export const losesTheEdgeOfAPage: StoreFault = arranging((records, { reverse }) =>
  reverse
    ? records
    : records.filter(
        (_, index) => index % pageSize !== pageSize - 1 || index === records.length - 1,
      ),
);

export const reversesEachPage: StoreFault = arranging((records, { reverse }) => {
  if (!reverse) return records;
  const pages: StoredRecord[] = [];
  for (let start = 0; start < records.length; start += pageSize) {
    pages.unshift(...records.slice(start, start + pageSize));
  }
  return pages;
});

/** JSON text with its keys in another order, as `jsonb` columns keep them. */
function sortKeys(payload: StoredRecord["payload"]): StoredRecord["payload"] {
  if (typeof payload !== "string") return payload;
  return JSON.stringify(JSON.parse(payload), (_key, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

export const keepsSortedKeys: StoreFault = changing((record) => ({
  ...record,
  payload: sortKeys(record.payload),
}));

export const keepsLatin1: StoreFault = changing((record) => ({
  ...record,
  payload:
    typeof record.payload === "string"
      ? Buffer.from(record.payload, "latin1").toString("latin1")
      : record.payload,
}));

export const readsAlongAsTheLogGrows: StoreFault = () => (good) => ({
  ...good,
  async *read(sessionId, range) {
    let { sinceSeq } = range;
    for (let size = 1; size > 0; sinceSeq += size) {
      size = 0;
      for await (const page of good.read(sessionId, { ...range, sinceSeq })) {
        size += page.length;
        yield page;
      }
      if (range.reverse || range.limit !== Infinity) return;
    }
  },
});

export const goesOnInANewLog: StoreFault = () => (good) => ({
  ...good,
  async *read(sessionId, range) {
    if (range.reverse || range.limit !== Infinity) {
      yield* good.read(sessionId, range);
      return;
    }
    for (let next = range.sinceSeq; next < range.untilSeq; next += pageSize) {
      const end = Math.min(next + pageSize, range.untilSeq);
      let found = 0;
      for await (const page of good.read(sessionId, { ...range, sinceSeq: next, untilSeq: end })) {
        found += page.length;
        yield page;
      }
      if (found < pageSize) return;
    }
  },
});

export const isBusyWhileItReads: StoreFault = () => (good) => {
  let reading = 0;
  const free = <T>(work: () => Promise<T>): Promise<T> => {
    if (reading > 0) throw new TypeError("This database connection is busy executing a query");
    return work();
  };
  return {
    ...good,
    commit: async (sessionId, change) => free(() => good.commit(sessionId, change)),
    list: async (page) => free(() => good.list(page)),
    delete: async (sessionId) => free(() => good.delete(sessionId)),
    async *read(sessionId, range) {
      reading += 1;
      try {
        yield* good.read(sessionId, range);
      } finally {
        reading -= 1;
      }
    },
  };
};

/** Connections in the pool of a handle. */
const poolSize = 10;

export const leaksConnections: StoreFault = () => (good) => {
  let taken = 0;
  return {
    ...good,
    async *read(sessionId, range) {
      if (taken === poolSize) {
        throw new CheckpointError("BUSY", "timeout exceeded when trying to connect");
      }
      taken += 1;
      // No finally: a consumer that leaves early never gets here again.
      yield* good.read(sessionId, range);
      taken -= 1;
    },
  };
};

export const sharesOneCursor: HandleFault = () => (good) => {
  let position = 0;
  return {
    ...good,
    async *read(sessionId, options) {
      const view = good.read(sessionId, options)[Symbol.asyncIterator]();
      const seen: Array<StoredEvent<EventObject>> = [];
      position = 0;
      try {
        for (;;) {
          while (seen.length <= position) {
            const { value, done } = await view.next();
            if (done === true) return;
            seen.push(value);
          }
          position += 1;
          yield seen[position - 1]!;
        }
      } finally {
        await view.return?.();
      }
    },
  };
};

export const looksWhenReadIsCalled: HandleFault = () => (good) => ({
  ...good,
  read(sessionId, options) {
    const early = collect(good.read(sessionId, options));
    early.catch(() => undefined);
    return (async function* () {
      yield* await early;
    })();
  },
});

export const handsOutWhatItKeeps: HandleFault = () => (good) => {
  const kept = new Map<string, StoredEvent<EventObject>>();
  return {
    ...good,
    async *read(sessionId, options) {
      for await (const stored of good.read(sessionId, options)) {
        // Whoever changes it changes what the next reader gets, as long as it is the same life.
        const name = `${sessionId} ${stored.seq} ${stored.ts} ${await good.headToken(sessionId)}`;
        kept.set(name, kept.get(name) ?? stored);
        yield kept.get(name)!;
      }
    },
  };
};

/** What a handle does not see yet, of what another one has written. */
interface Lag {
  readonly writer: RecordStore;
  readonly seq: number;
}

export const readsAReplica: StoreFault = () => {
  const lags = new Map<string, Lag>();
  return (good) => {
    const replica: RecordStore = {
      ...committing(good, async (sessionId, change) => {
        const { seq = 0 } = (await good.head(sessionId)) ?? {};
        const outcome = await good.commit(sessionId, change);
        if ("head" in outcome && (outcome.head?.seq ?? 0) > seq) {
          const lag = { writer: replica, seq };
          lags.set(sessionId, lag);
          void pause().then(() => lags.get(sessionId) === lag && lags.delete(sessionId));
        }
        return outcome;
      }),
      async head(sessionId) {
        const head = await good.head(sessionId);
        const seq = visible(sessionId);
        if (head === null || seq >= head.seq) return head;
        return seq === 0 ? null : { ...head, seq, tail: null };
      },
      read: (sessionId, range) =>
        good.read(sessionId, { ...range, untilSeq: Math.min(range.untilSeq, visible(sessionId)) }),
    };
    const visible = (sessionId: string): number => {
      const lag = lags.get(sessionId);
      return lag === undefined || lag.writer === replica ? Number.MAX_SAFE_INTEGER : lag.seq;
    };
    return replica;
  };
};

export const numbersParentsFromZero: HandleFault = () => (good) => ({
  ...good,
  async *read(sessionId, options) {
    for await (const stored of good.read(sessionId, options)) {
      yield { ...stored, parentSeq: stored.seq - 1 };
    }
  },
});

export const tellsLocalTime: HandleFault = () => (good) => ({
  ...good,
  async *read(sessionId, options) {
    for await (const stored of good.read(sessionId, options)) {
      yield { ...stored, ts: stored.ts.replace("T", " ").replace("Z", "") };
    }
  },
});

export const ignoresOddOptions: HandleFault = () => (good) => ({
  ...good,
  read(sessionId, options) {
    const usable = Object.entries(options ?? {}).filter(([name, value]) => {
      if (name === "reverse") return typeof value === "boolean";
      if (name === "signal") return value instanceof AbortSignal;
      return name === "sinceSeq" || value === Infinity || Number.isSafeInteger(value);
    });
    return good.read(sessionId, Object.fromEntries(usable));
  },
});

export const createsWhatItLooksAt: StoreFault = () => {
  const seen = new Set<string>();
  return (good) => ({
    ...good,
    async head(sessionId) {
      const head = await good.head(sessionId);
      if (head === null) seen.add(sessionId);
      return head;
    },
    async commit(sessionId, change) {
      const outcome = await good.commit(sessionId, change);
      if ("head" in outcome && outcome.head !== null) seen.delete(sessionId);
      return outcome;
    },
    async delete(sessionId) {
      seen.delete(sessionId);
      await good.delete(sessionId);
    },
    async list(page) {
      const sessions = await good.list(page);
      return [...sessions, ...[...seen].map((id) => ({ id, mtime: 0, head: 0 }))];
    },
  });
};
