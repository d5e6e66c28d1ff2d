import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import {
  isCheckpointError,
  limits,
  matchesBase,
  type Change,
  type Outcome,
  type RecordStore,
  type RewriteRecord,
} from "../../src/index.ts";
import { commitChange, lostOutcome, resolveLost } from "./commit-change.ts";
import { directoryMode, unlessMissing } from "./file-port.ts";
import { wrapIoError } from "./io-error.ts";
import { listSessions } from "./list-sessions.ts";
import { headOf } from "./open-log.ts";
import { findTornTail, isOurs, readHead, readLog } from "./read-log.ts";
import { encodeRecord } from "./record-line.ts";
import { resolveFileOptions, type FileStoreOptions } from "./resolve-options.ts";
import { sessionFiles } from "./session-files.ts";
import { LostOwnershipError } from "./session-lock.ts";
import { createSessionWriter, type Held, type SessionWriter } from "./session-writer.ts";
import { watchFile } from "./watch-file.ts";
import { replaceLog, syncRename, type LogContent, type LostAppend } from "./write-log.ts";

/** One JSONL file a session, in the format of docs/format.md. */
export function fileStore(given: FileStoreOptions): RecordStore {
  const options = resolveFileOptions(given);
  const { port, dir } = options;
  const writers = new Map<string, SessionWriter>();
  /** The change that `exclusively` runs its work in, so that calls from within join it. */
  const exclusive = new AsyncLocalStorage<{ sessionId: string; held: Held }>();

  const logPath = (sessionId: string): string => sessionFiles(dir, sessionId).log;
  const exists = (path: string): boolean => unlessMissing(() => port.statSync(path)) !== null;

  /** What `exclusively` holds of this session around the current call, if anything. */
  function joined(sessionId: string): Held | undefined {
    const outer = exclusive.getStore();
    return outer?.sessionId === sessionId ? outer.held : undefined;
  }

  function write<T>(sessionId: string, work: (held: Held) => Promise<T>): Promise<T> {
    const outer = joined(sessionId);
    if (outer !== undefined) return work(outer);
    let writer = writers.get(sessionId);
    if (writer === undefined) {
      if (!exists(dir)) port.mkdirSync(dir, { recursive: true, mode: directoryMode });
      const created = createSessionWriter(sessionId, sessionFiles(dir, sessionId), options, () => {
        if (writers.get(sessionId) === created) writers.delete(sessionId);
      });
      writer = created;
      writers.set(sessionId, created);
    }
    return writer.run(work);
  }

  async function commit(sessionId: string, change: Change): Promise<Outcome> {
    if (change.batches.length === 0 && !exists(logPath(sessionId))) {
      // Nothing is there and nothing is to come: not worth a lock, nor its traces on the disk.
      return matchesBase(null, change.base) ? { head: null } : { conflict: null };
    }
    let lost: LostAppend | null = null;
    return whileReplaced(sessionId, async () => {
      let attempt: Awaited<ReturnType<typeof commitChange>>;
      try {
        attempt = await write(sessionId, async (held) => {
          if (lost === null) return commitChange(options, sessionId, held, change);
          const landed = resolveLost(options, sessionId, await held.log(), lost);
          lost = null;
          return landed ?? commitChange(options, sessionId, held, change);
        });
      } catch (error) {
        // Nobody could look whether the first try landed, so no other code would be true.
        if (lost === null || error instanceof LostOwnershipError) throw error;
        throw isCheckpointError(error, "OUTCOME_UNKNOWN") ? error : lostOutcome(sessionId, error);
      }
      if (!("lost" in attempt)) return attempt;
      lost = attempt.lost;
      if (joined(sessionId) !== undefined) throw lostOutcome(sessionId);
      throw new LostOwnershipError(sessionId);
    });
  }

  /**
   * Tries again when another writer took over; each try waits for the lock like the first. Inside
   * `exclusively` the lock is not ours to take again, so its caller has to.
   */
  async function whileReplaced<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (joined(sessionId) !== undefined || !(error instanceof LostOwnershipError)) throw error;
      }
    }
  }

  /** Wraps errors of the file system once, here at the edge. */
  async function guard<T>(action: string, sessionId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw wrapIoError(error, action, sessionId);
    }
  }

  return {
    capabilities: Object.freeze({
      concurrency: "host",
      durability: options.durability,
      readIsolation: "snapshot",
      clock: "local",
      limits: storeLimits,
      truncate: true,
      idempotency: true,
    }),

    head: (sessionId) =>
      guard("read", sessionId, async () => readHead(port, logPath(sessionId), sessionId)),

    commit: (sessionId, change) => guard("change", sessionId, () => commit(sessionId, change)),

    async *read(sessionId, range) {
      try {
        yield* readLog(port, logPath(sessionId), sessionId, range);
      } catch (error) {
        throw wrapIoError(error, "read", sessionId);
      }
    },

    list: (page) => guard("list the sessions of", dir, () => listSessions(port, dir, page)),

    delete: (sessionId) =>
      guard("delete", sessionId, async () => {
        if (!exists(logPath(sessionId))) return;
        await whileReplaced(sessionId, () =>
          write(sessionId, async (held) => {
            held.leave();
            if (!isOurs(port, held.path, sessionId)) return;
            // Into our own directory, where only an owner that was not replaced can move it.
            port.renameSync(held.path, join(held.owner.directory, "deleted"));
            await syncRename(options, sessionId);
          }),
        );
      }),

    async close() {
      await Promise.all([...writers.values()].map((writer) => writer.close()));
      writers.clear();
    },

    exclusively: (sessionId, work) =>
      guard("change", sessionId, () =>
        write(sessionId, (held) => exclusive.run({ sessionId, held }, work)),
      ),

    rewrite: (sessionId, base, records, mtime) =>
      guard("write", sessionId, () =>
        write(sessionId, async (held): Promise<Outcome> => {
          const head = headOf(await held.log());
          if (!matchesBase(head, base)) return { conflict: head };
          const log = await replaceLog(options, held, sessionId, lines(records), mtime);
          held.adopt(log);
          return { head: headOf(log) };
        }),
      ),

    watch: (sessionId, signal) => watchFile(port, logPath(sessionId), signal),

    verify: (sessionId) =>
      guard("verify", sessionId, async () => findTornTail(port, logPath(sessionId), sessionId)),

    repair: (sessionId) =>
      guard("repair", sessionId, async () => {
        if (!exists(logPath(sessionId))) return null;
        return write(sessionId, async (held) => {
          await held.log();
          return held.repair();
        });
      }),
  };
}

const storeLimits = Object.freeze({
  maxEventBytes: limits.maxEventBytes,
  maxBatchEvents: limits.maxBatchEvents,
  maxSessionIdBytes: limits.maxSessionIdBytes,
});

async function* lines(records: AsyncIterable<RewriteRecord>): LogContent {
  let seq = 0;
  for await (const record of records) {
    seq += 1;
    yield encodeRecord({ ...record, seq, left: 0 });
  }
}
