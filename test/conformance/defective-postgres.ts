// Postgres stores that do wrong with time, with late writers or with connections; also the module with which other
// processes open them.

import pg from "pg";
import { postgresStore } from "../../adapters/postgres/index.ts";
import type { StorePlace } from "../../cli/certify/open-place.ts";
import { collect } from "../../conformance/collect.ts";
import type { Handle } from "../../conformance/session-state.ts";
import {
  createCheckpointer,
  matchesBase,
  type EventObject,
  type RecordStore,
} from "../../src/index.ts";

/** A defect, as a sentence that begins with "it". */
export type Defect =
  | "compares, and then writes"
  | "compares the head alone"
  | "sorts what it reads by time"
  | "holds a connection for as long as a read is open"
  | "follows from the head that it finds when it comes back";

/** Where a defective store is; survives JSON. */
export interface DefectivePlace {
  readonly place: Pick<StorePlace, "location" | "schema">;
  readonly defect: Defect;
}

/** Opens it, here or in another process. */
export function open(argument: unknown): Handle {
  const { place, defect } = argument as DefectivePlace;
  const { location: connectionString, schema } = place;
  const limits = { max: 4, allowExitOnIdle: true, connectionTimeoutMillis: 500 };
  const pool = new pg.Pool({ connectionString, ...limits });
  pool.on("error", () => undefined);
  const good = postgresStore({ pool, schema, busyTimeoutMs: 1_000 });
  const store = spoilStore(good, pool, defect);
  return spoilHandle(createCheckpointer<EventObject>(store), connectionString, defect);
}

function spoilStore(good: RecordStore, pool: pg.Pool, defect: Defect): RecordStore {
  const close = async (): Promise<void> => {
    await good.close();
    // A read that was left open keeps its connection.
    void pool.end();
  };
  if (defect === "compares, and then writes" || defect === "compares the head alone") {
    return {
      ...good,
      close,
      async commit(sessionId, change) {
        const { base } = change;
        if (defect === "compares the head alone") {
          const seqAlone = base === null || base.seq === 0 ? base : { seq: base.seq };
          return good.commit(sessionId, { ...change, base: seqAlone });
        }
        const head = await good.head(sessionId);
        if (!matchesBase(head, base)) return { conflict: head };
        return good.commit(sessionId, { ...change, base: null });
      },
    };
  }
  if (defect !== "holds a connection for as long as a read is open") return { ...good, close };
  return {
    ...good,
    close,
    async *read(sessionId, range) {
      const client = await pool.connect();
      try {
        yield* good.read(sessionId, range);
      } finally {
        client.release();
      }
    },
  };
}

function spoilHandle(good: Handle, url: string, defect: Defect): Handle {
  if (defect === "sorts what it reads by time") {
    return {
      ...good,
      async *read(sessionId, options) {
        const events = await collect(good.read(sessionId, options));
        yield* events.toSorted((one, two) => (one.ts < two.ts ? -1 : one.ts > two.ts ? 1 : 0));
      },
    };
  }
  if (defect !== "follows from the head that it finds when it comes back") return good;
  return {
    ...good,
    async *tail(sessionId, options) {
      const signal = options?.signal;
      let seen = 0;
      let line = await connect(url);
      while (signal?.aborted !== true) {
        const events = await collect(good.read(sessionId, { sinceSeq: seen }));
        if (line.isLost()) {
          line = await connect(url);
          seen = await good.head(sessionId);
          continue;
        }
        for (const event of events) {
          seen = event.seq;
          yield event;
        }
        await pause();
      }
      line.end();
    },
  };
}

interface Line {
  isLost(): boolean;
  end(): void;
}

/** A connection that knows when it broke; tries until there is one. */
async function connect(connectionString: string): Promise<Line> {
  for (;;) {
    const client = new pg.Client({ connectionString });
    let isLost = false;
    client.on("error", () => (isLost = true)).on("end", () => (isLost = true));
    try {
      await client.connect();
      return { isLost: () => isLost, end: () => void client.end() };
    } catch {
      await pause();
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 2));
}
