import { CheckpointError, quote, type Batch, type RewriteRecord } from "../../src/index.ts";
import { appendRecords } from "./append-records.ts";
import { createSession } from "./apply-change.ts";
import type { Connection } from "./connection.ts";
import { purgeSession } from "./hidden-sessions.ts";
import type { KnownHead } from "./known-heads.ts";
import type { Statements } from "./statements.ts";
import { toMicroseconds } from "./stored-record.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Records on their way into a hidden session. */
export interface Staging {
  /** Takes a record; writes those before it when they fill a chunk. */
  add(record: RewriteRecord): Promise<void>;
  /** Whether nothing was added. */
  isEmpty(): boolean;
  /**
   * Gives the session its name and adds the last chunk, inside the open transaction.
   *
   * @returns the row with its head before, and the records still to append
   */
  reveal(statements: Statements, mtime: number): { target: KnownHead; rest: RewriteRecord[] };
  /** Stops renewing the claim, and deletes what was staged unless it was revealed. */
  end(revealed: boolean): Promise<void>;
}

/** Rewritten records stand alone, each with the key it had. */
export function eachAlone(records: readonly RewriteRecord[]): Batch[] {
  return records.map((record) => ({ key: record.key, records: [record] }));
}

/** A chunk is one short transaction. */
const chunkRecords = 256;
const chunkSize = 1024 * 1024;

/** Far more often than the hour after which others take the owner for dead. */
const renewMs = 5 * 60 * 1_000;

/**
 * Stages records under a session without a name. A rewrite that fits into one chunk stages nothing.
 * While it runs, a timer renews the hidden session's time; whoever opens the database an hour after
 * the last renewal may delete it, which a paused process notices at its next chunk.
 */
export function createStaging(writes: WriteQueue, sessionId: string): Staging {
  let chunk: RewriteRecord[] = [];
  let size = 0;
  let staged: KnownHead | null = null;
  let renewal: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    const records = chunk;
    const before = staged;
    staged = await writes.write({
      sessionId,
      run: (connection) => stage(connection, before, records),
    });
    chunk = [];
    size = 0;
    renewal ??= setInterval(() => void renew(), renewMs).unref();
  }

  function stage(
    { statements }: Connection,
    before: KnownHead | null,
    records: RewriteRecord[],
  ): KnownHead {
    const mtime = Date.now();
    const target = before ?? createSession(statements, null, mtime);
    if (before !== null) touch(statements, before);
    const { seq } = appendRecords(statements, target, {
      base: null,
      batches: eachAlone(records),
      mtime,
    });
    return { ...target, seq };
  }

  function touch(statements: Statements, { id, generation }: KnownHead): void {
    const { changes } = statements.touchHidden.run(toMicroseconds(Date.now()), id, generation);
    if (changes === 0) throw lostStaging(sessionId);
  }

  async function renew(): Promise<void> {
    const claim = staged;
    if (claim === null) return;
    const run = ({ statements }: Connection): void => touch(statements, claim);
    // Only a hint for others; the next chunk reports what is really wrong.
    await writes.write({ sessionId, run }).catch(() => undefined);
  }

  return {
    async add(record) {
      if (chunk.length >= chunkRecords || size >= chunkSize) await flush();
      chunk.push(record);
      size += record.payload.length;
    },
    isEmpty: () => chunk.length === 0,
    reveal(statements, mtime) {
      if (staged === null) {
        return { target: createSession(statements, sessionId, mtime), rest: chunk };
      }
      const { id, generation } = staged;
      const stamp = toMicroseconds(mtime);
      const { changes } = statements.showHidden.run(sessionId, stamp, id, generation);
      if (changes === 0) throw lostStaging(sessionId);
      return { target: staged, rest: chunk };
    },
    async end(revealed) {
      clearInterval(renewal);
      // What cannot be deleted now is deleted as stale by a later opener.
      if (staged !== null && !revealed) await purgeSession(writes, staged).catch(() => undefined);
    },
  };
}

function lostStaging(sessionId: string): CheckpointError {
  const detail = "another process took it for abandoned and deleted what was staged";
  return new CheckpointError("IO_FAILED", `Cannot rewrite session ${quote(sessionId)}: ${detail}`);
}
