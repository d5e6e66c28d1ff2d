import { utf8Length, type EventObject, type StoredEvent } from "../src/index.ts";

/** What `stats` counts. */
export interface Statistics {
  readonly sessions: number;
  readonly events: number;
  /** UTF-8 bytes of the events' JSON text. */
  readonly bytes: number;
  /** Most bytes first. */
  readonly types: readonly TypeStatistics[];
  readonly largest: {
    readonly sessionId: string;
    readonly seq: number;
    readonly bytes: number;
  } | null;
  /** Earliest and latest timestamp. */
  readonly firstTime: string | null;
  readonly lastTime: string | null;
}

/** One event type; null is no type, and every type beyond the first 1,000. */
interface TypeStatistics {
  readonly type: string | null;
  readonly events: number;
  readonly bytes: number;
}

/** Counts events one by one, in memory that does not grow with their number. */
export interface Tally {
  readonly beginSession: () => void;
  readonly add: (stored: StoredEvent<EventObject>) => void;
  readonly result: () => Statistics;
}

/** A log can hold a new type in every event. */
const maxTypes = 1000;

export function createTally(): Tally {
  const byType = new Map<string | null, { events: number; bytes: number }>();
  let sessions = 0;
  let events = 0;
  let bytes = 0;
  let largest: Statistics["largest"] = null;
  let firstTime: string | null = null;
  let lastTime: string | null = null;

  function countersOf(type: string | null): { events: number; bytes: number } {
    const key = byType.has(type) || byType.size < maxTypes ? type : null;
    const counters = byType.get(key) ?? { events: 0, bytes: 0 };
    byType.set(key, counters);
    return counters;
  }

  return {
    beginSession: () => {
      sessions += 1;
    },
    add({ event, sessionId, seq, ts }) {
      const size = utf8Length(JSON.stringify(event));
      const counters = countersOf(typeOf(event));
      counters.events += 1;
      counters.bytes += size;
      events += 1;
      bytes += size;
      if (largest === null || size > largest.bytes) largest = { sessionId, seq, bytes: size };
      if (firstTime === null || ts < firstTime) firstTime = ts;
      if (lastTime === null || ts > lastTime) lastTime = ts;
    },
    result() {
      const types = [...byType].map(([type, counters]) => ({ type, ...counters }));
      types.sort((left, right) => right.bytes - left.bytes);
      return { sessions, events, bytes, types, largest, firstTime, lastTime };
    },
  };
}

function typeOf(event: EventObject): string | null {
  const type: unknown = "type" in event ? event.type : null;
  return typeof type === "string" ? type : null;
}
