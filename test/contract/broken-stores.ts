import { CheckpointError, type Change, type LogHead, type RecordStore } from "../../src/index.ts";
import { turn } from "./rule.ts";

/** A store with one fault, and the rules that have to notice. */
export interface BrokenStore {
  /** What is wrong, as its author might say it. */
  readonly fault: string;
  /** Breaks a good store; called once for each handle onto it. */
  readonly break: (good: RecordStore) => RecordStore;
  readonly caughtBy: readonly string[];
}

/** A store with another `commit`. */
function committing(
  good: RecordStore,
  commit: (sessionId: string, change: Change) => ReturnType<RecordStore["commit"]>,
): RecordStore {
  return { ...good, commit };
}

/** A store that maps every id. */
function renaming(good: RecordStore, rename: (sessionId: string) => string): RecordStore {
  return {
    ...good,
    head: (sessionId) => good.head(rename(sessionId)),
    commit: (sessionId, change) => good.commit(rename(sessionId), change),
    read: (sessionId, range) => good.read(rename(sessionId), range),
    delete: (sessionId) => good.delete(rename(sessionId)),
  };
}

const writing: readonly BrokenStore[] = [
  {
    fault: "checks the head in one step and writes in another",
    break: (good) =>
      committing(good, async (sessionId, change) => {
        const head = await good.head(sessionId);
        await turn();
        const { base } = change;
        if (base !== null && base.seq !== (head?.seq ?? 0)) return { conflict: head };
        return good.commit(sessionId, { ...change, base: null });
      }),
    caughtBy: [
      "append() lets exactly one of many racers with one expectedHead win",
      "append() with expectedHead loses no update of writers that retry",
    ],
  },
  {
    fault: "trusts a head that it remembers from its own last commit",
    break(good) {
      const heads = new Map<string, LogHead | null>();
      return committing(good, async (sessionId, change) => {
        const head = heads.get(sessionId) ?? (await good.head(sessionId));
        const { base } = change;
        if (base !== null && base.seq !== (head?.seq ?? 0)) return { conflict: head };
        const outcome = await good.commit(sessionId, { ...change, base: null });
        if ("head" in outcome) heads.set(sessionId, outcome.head);
        return outcome;
      });
    },
    caughtBy: ["append() and truncate() reject a head that another handle has moved"],
  },
  {
    fault: "takes an expected head of 0 for none",
    break: (good) =>
      committing(good, (sessionId, change) => {
        const base = change.base?.seq ? change.base : null;
        return good.commit(sessionId, { ...change, base });
      }),
    caughtBy: [
      "append() takes expectedHead 0 for absent or empty, never for no check",
      "fork() lets exactly one of many racers make the target",
    ],
  },
  {
    fault: "accepts an expected head below the actual one",
    break: (good) =>
      committing(good, async (sessionId, change) => {
        const { seq = 0 } = (await good.head(sessionId)) ?? {};
        const base = change.base !== null && change.base.seq < seq ? null : change.base;
        return good.commit(sessionId, { ...change, base });
      }),
    caughtBy: ["append() rejects a head below or above the actual one and says which"],
  },
  {
    fault: "compares numbers and ignores generations",
    break: (good) =>
      committing(good, (sessionId, change) => {
        const base = change.base === null ? null : { seq: change.base.seq };
        return good.commit(sessionId, { ...change, base });
      }),
    caughtBy: [
      "append() refuses a token when a truncate and an append restored the number",
      "append() refuses a token when a delete and a rebirth restored the number",
    ],
  },
  {
    fault: "makes an unconditional append conflict when others are faster",
    break: (good) =>
      committing(good, async (sessionId, change) => {
        const { seq = 0 } = (await good.head(sessionId)) ?? {};
        await turn();
        return good.commit(sessionId, { ...change, base: change.base ?? { seq } });
      }),
    caughtBy: ["append() without expectedHead never conflicts, whoever else writes"],
  },
  {
    fault: "reports its caller's expectation as the actual head",
    break: (good) =>
      committing(good, async (sessionId, change) => {
        const outcome = await good.commit(sessionId, change);
        if (!("conflict" in outcome) || change.base === null) return outcome;
        const { seq, generation = "-" } = change.base;
        return { conflict: { seq, generation, tail: null } };
      }),
    caughtBy: ["append() rejects a head below or above the actual one and says which"],
  },
  {
    fault: "moves a session in the list for a change that it refuses",
    break(good) {
      const touched = new Map<string, number>();
      return {
        ...good,
        async commit(sessionId, change) {
          const outcome = await good.commit(sessionId, change);
          if ("conflict" in outcome) touched.set(sessionId, change.mtime);
          return outcome;
        },
        async list(page) {
          const sessions = await good.list(page);
          return sessions.map((info) => ({ ...info, mtime: touched.get(info.id) ?? info.mtime }));
        },
      };
    },
    caughtBy: ["append() that conflicts changes nothing at all"],
  },
  {
    fault: "writes a batch record by record",
    break: (good) =>
      committing(good, async (sessionId, change) => {
        const records = change.batches.flatMap((batch) => batch.records);
        let outcome = await good.commit(sessionId, { ...change, batches: [] });
        for (const record of "head" in outcome ? records : []) {
          const batches = [{ records: [record] }];
          outcome = await good.commit(sessionId, { base: null, batches, mtime: change.mtime });
          await turn();
        }
        return outcome;
      }),
    caughtBy: [
      "append() keeps batches of concurrent handles whole",
      "read() sees a batch whole or not at all while others write",
    ],
  },
  {
    fault: "drops what it was given when it is busy, and says that it is done",
    break: (good) => {
      let running = 0;
      return committing(good, async (sessionId, change) => {
        running += 1;
        await turn();
        const batches = running > 1 ? [] : change.batches;
        running -= 1;
        return good.commit(sessionId, { ...change, batches });
      });
    },
    caughtBy: ["append() to one session does not wait for another"],
  },
  {
    fault: "ignores idempotency keys",
    break: (good) =>
      committing(good, (sessionId, change) => {
        const batches = change.batches.map(({ records }) => ({ records }));
        return good.commit(sessionId, { ...change, batches });
      }),
    caughtBy: [
      "append() with a known key stores nothing and returns the first result",
      "append() stores once however many calls with one key run at once",
    ],
  },
  {
    fault: "looks at the expected head before it looks for the key",
    break: (good) =>
      committing(good, async (sessionId, change) => {
        const probe = await good.commit(sessionId, { ...change, batches: [] });
        return "conflict" in probe ? probe : good.commit(sessionId, change);
      }),
    caughtBy: ["append() with a known key returns the first result whatever happened since"],
  },
];

const cutting: readonly BrokenStore[] = [
  {
    fault: "truncates in place, in two steps",
    break: (good) =>
      committing(good, async (sessionId, change) => {
        if (change.keep === undefined) return good.commit(sessionId, change);
        const range = { sinceSeq: 0, untilSeq: change.keep, limit: Infinity, reverse: false };
        const kept = [];
        for await (const page of good.read(sessionId, range)) kept.push(...page);
        const outcome = await good.commit(sessionId, { ...change, keep: 0 });
        await turn();
        if (!("head" in outcome) || kept.length === 0) return outcome;
        const batches = [{ records: kept }];
        return good.commit(sessionId, { base: null, batches, mtime: change.mtime });
      }),
    caughtBy: ["truncate() shows readers the old or the new log while it runs"],
  },
  {
    fault: "keeps one event too few",
    break: (good) =>
      committing(good, (sessionId, change) => {
        if (change.keep === undefined) return good.commit(sessionId, change);
        return good.commit(sessionId, { ...change, keep: Math.max(0, change.keep - 1) });
      }),
    caughtBy: [
      "truncate() keeps exactly seq 1 to toSeq, wherever batches end",
      "append(), truncate() and delete() on one handle take effect in issue order",
    ],
  },
  {
    fault: "removes a session that is truncated to 0",
    break: (good) =>
      committing(good, async (sessionId, change) => {
        const outcome = await good.commit(sessionId, change);
        if (change.keep !== 0 || !("head" in outcome)) return outcome;
        await good.delete(sessionId);
        return { head: null };
      }),
    caughtBy: ["truncate() to 0 leaves an empty session that is listed"],
  },
  {
    fault: "deletes every session whose id starts the same way",
    break: (good) => ({
      ...good,
      async delete(sessionId) {
        const page = { limit: Infinity, prefix: sessionId };
        for (const { id } of await good.list(page)) await good.delete(id);
      },
    }),
    caughtBy: ["delete() leaves sessions with similar ids alone"],
  },
  {
    fault: "empties a deleted session and leaves its row",
    break: (good) => ({
      ...good,
      async delete(sessionId) {
        await good.commit(sessionId, { base: null, keep: 0, batches: [], mtime: Date.now() });
      },
    }),
    caughtBy: ["delete() removes a session whole, for every handle"],
  },
  {
    fault: "makes names of ids with the characters that files can have",
    break: (good) => renaming(good, (sessionId) => sessionId.replaceAll(/[^\w-]/g, "_")),
    caughtBy: ["append() keeps ids apart that look, sort or encode alike"],
  },
  {
    fault: "ignores case",
    break: (good) => renaming(good, (sessionId) => sessionId.toLowerCase()),
    caughtBy: [
      "append() keeps ids apart that look, sort or encode alike",
      "append() keeps long ids apart up to 512 bytes",
    ],
  },
  {
    fault: "refuses to close",
    break: (good) => ({
      ...good,
      close: () => Promise.reject(new CheckpointError("IO_FAILED", "Cannot close")),
    }),
    caughtBy: ["close() twice is fine and afterwards every method rejects with CLOSED"],
  },
];

/** Stores that change or cut logs wrongly. */
export const brokenWriters: readonly BrokenStore[] = [...writing, ...cutting];
