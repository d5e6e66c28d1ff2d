import { isCheckpointError, type StoredEvent } from "../../src/index.ts";
import type { Handle } from "../stores.ts";
import { turn } from "./rule.ts";

/** A whole checkpointer with one fault: what the engine rules out for those who use it. */
export interface BrokenHandle {
  readonly fault: string;
  readonly break: (good: Handle) => Handle;
  readonly caughtBy: readonly string[];
}

/** Checkpointers that someone might write without the engine. */
export const brokenHandles: readonly BrokenHandle[] = [
  {
    fault: "looks at the events when it gets round to it",
    break: (good) => ({
      ...good,
      async append(sessionId, events, expected) {
        await turn();
        return good.append(sessionId, events, expected);
      },
    }),
    caughtBy: ["append() captures events at the call"],
  },
  {
    fault: "hands out the events that it keeps",
    break(good) {
      const kept = new Map<string, StoredEvent<object>>();
      return {
        ...good,
        async *read(sessionId, options) {
          for await (const stored of good.read(sessionId, options)) {
            const key = `${sessionId} ${stored.seq}`;
            kept.set(key, kept.get(key) ?? stored);
            yield kept.get(key)!;
          }
        },
      };
    },
    caughtBy: ["read() hands out events that are the reader's own"],
  },
  {
    fault: "tries again without the expectation that failed",
    break: (good) => ({
      ...good,
      async append(sessionId, events, expected) {
        try {
          return await good.append(sessionId, events, expected);
        } catch (error) {
          if (!isCheckpointError(error, "CONFLICT")) throw error;
          return good.append(sessionId, events);
        }
      },
    }),
    caughtBy: [
      "append() that conflicts changes nothing at all",
      "append() lets exactly one of many racers with one expectedHead win",
    ],
  },
  {
    fault: "stores what JSON makes of an event",
    break: (good) => ({
      ...good,
      async append(sessionId, events, expected) {
        const copies = JSON.parse(JSON.stringify(events)) as object[];
        return good.append(sessionId, copies, expected);
      },
    }),
    caughtBy: ["append() refuses what JSON cannot carry and names its path"],
  },
  {
    fault: "lets appends overtake each other",
    break: (good) => ({
      ...good,
      async append(sessionId, events, expected) {
        const own = structuredClone(events);
        for (let turns = events.length % 3; turns > 0; turns -= 1) await turn();
        return good.append(sessionId, own, expected);
      },
    }),
    caughtBy: ["append(), truncate() and delete() on one handle take effect in issue order"],
  },
  {
    fault: "reads first and follows from wherever the log is then",
    break: (good) => ({
      ...good,
      async *tail(sessionId, options) {
        for await (const stored of good.read(sessionId, options)) yield stored;
        await turn();
        yield* good.tail(sessionId, { ...options, sinceSeq: await good.head(sessionId) });
      },
    }),
    caughtBy: ["tail() has no gap and no duplicate at the seam while others append"],
  },
  {
    fault: "forks by appending what it reads",
    break: (good) => ({
      ...good,
      async fork(sourceId, atSeq, targetId) {
        const events = [];
        const range = { untilSeq: atSeq };
        for await (const { event } of good.read(sourceId, range)) events.push(event);
        return good.append(targetId, events, 0);
      },
    }),
    caughtBy: [
      "fork() refuses a target that exists, empty or not, and changes nothing",
      "fork() refuses a seq that the source does not have",
    ],
  },
];
