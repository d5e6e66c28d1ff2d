import type pg from "pg";
import { CheckpointError } from "../../src/index.ts";
import type { Hosts } from "./hosts.ts";
import {
  closedError,
  ConnectionLost,
  endsConnection,
  isPassing,
  isUnprepared,
  noConnection,
  sqlState,
  wrapError,
} from "./postgres-errors.ts";
import type { ResolvedPlace } from "./postgres-options.ts";
import type { Statement } from "./statements.ts";

/** A row, its columns in order; bigint comes as digits. */
export type Row = readonly unknown[];

/** What a parameter can be; bytes go in binary form, whatever their type. */
export type Value = string | number | Uint8Array | null;

/** Runs one statement. */
export type Run = (statement: Statement, values: readonly Value[]) => Promise<Row[]>;

/** The server, through connections that may break. */
export interface Database {
  /** Runs one statement in a transaction of its own. */
  readonly run: Run;
  /** Runs `work` in one transaction. What it throws rolls it back. */
  transact<T>(work: (run: Run) => Promise<T>): Promise<T>;
  /**
   * Does `work` until it succeeds, as long as nothing of it was done and a moment may help.
   *
   * @param isRepeatable - as a read is: it may be done twice
   * @throws CheckpointError, never an error of the driver
   */
  persist<T>(
    action: string,
    work: () => Promise<T>,
    options?: { readonly sessionId?: string; readonly isRepeatable?: boolean },
  ): Promise<T>;
  /** Lets go of every connection, once each is free. */
  close(): Promise<void>;
}

interface Answer {
  readonly rows: Row[];
  readonly command: string;
}

/** A connection that was given up while it was in use: what to do with it when it comes back. */
type Release = (isBroken: boolean) => void;

/** More than an own pool has; more of them in a row were left inside a transaction by nobody. */
const mostDirtyConnections = 100;

/** Milliseconds between two tries, at first and at most. */
const shortestPause = 5;
const longestPause = 250;

/** Runs statements on the connections that `hosts` gives. */
export function createDatabase(hosts: Hosts, options: ResolvedPlace): Database {
  const { busyTimeoutMs, outageTimeoutMs } = options;
  const ending = new AbortController();
  /** Cleared when a pooler turns out to lose what was prepared. */
  let prepares = true;

  async function checkOut(): Promise<{ client: pg.PoolClient; release: Release }> {
    for (let dirty = 0; dirty < mostDirtyConnections; dirty += 1) {
      if (ending.signal.aborted) throw closedError();
      const client = await connect(hosts, busyTimeoutMs);
      // The pool's listener is off while a connection is out, and an error that nobody hears would
      // end the process; what broke is told by the statement that was running.
      const onError = (): void => undefined;
      client.on("error", onError);
      const release: Release = (isBroken) => {
        client.off("error", onError);
        client.release(isBroken);
      };
      // Somebody else left it inside a transaction, where nothing of ours would ever be committed.
      const isClean = (client.getTransactionStatus?.() ?? "I") === "I";
      if (isClean) return { client, release };
      release(true);
    }
    throw new CheckpointError(
      "IO_FAILED",
      "Cannot use the pool: every connection was inside a transaction",
    );
  }

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const { client, release } = await checkOut();
    let isBroken = true;
    try {
      const result = await work(client);
      isBroken = false;
      return result;
    } catch (error) {
      // After an ordinary error of a statement the connection is as good as before.
      isBroken = !(error instanceof CheckpointError) && endsConnection(error);
      throw error;
    } finally {
      release(isBroken);
    }
  }

  async function ask(
    client: pg.PoolClient,
    { name, text }: Statement,
    values: readonly Value[],
  ): Promise<Answer> {
    const known = prepares ? name : "";
    const query = { name: known, text, values: [...values], rowMode: "array" as const };
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Answer>((resolve, reject) => {
        timer = setTimeout(() => {
          reject(new Error(`the server was silent for ${outageTimeoutMs} ms`));
        }, outageTimeoutMs);
        client.query<unknown[]>(query).then(resolve, reject);
      });
    } catch (error) {
      throw endsConnection(error) ? new ConnectionLost(true, error) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  const plain = (text: string): Statement => ({ name: "", text });

  return {
    run: (statement, values) =>
      withClient(async (client) => (await ask(client, statement, values)).rows),

    transact: (work) =>
      withClient(async (client) => {
        let isCommitting = false;
        try {
          await ask(client, plain(beginText(busyTimeoutMs, outageTimeoutMs)), []);
          const result = await work(
            async (statement, values) => (await ask(client, statement, values)).rows,
          );
          isCommitting = true;
          const { command } = await ask(client, plain("COMMIT"), []);
          // A transaction that has failed answers a COMMIT with this, and no error.
          if (command !== "COMMIT") {
            throw new CheckpointError(
              "IO_FAILED",
              "Cannot commit: the transaction was rolled back",
            );
          }
          return result;
        } catch (error) {
          if (error instanceof ConnectionLost) {
            throw isCommitting ? error : new ConnectionLost(false, error.cause);
          }
          await rollBack(client);
          throw error;
        }
      }),

    async persist(action, work, { sessionId, isRepeatable = false } = {}) {
      const started = performance.now();
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await work();
        } catch (error) {
          if (ending.signal.aborted) throw closedError();
          const elapsed = performance.now() - started;
          const left = patienceFor(error) - elapsed;
          if (left <= 0) throw wrapError(action, explain(error), sessionId);
          await pause(attempt, left, ending.signal);
        }
      }

      /** How long it is worth trying again after an error; 0: not at all. */
      function patienceFor(error: unknown): number {
        if (isUnprepared(error)) {
          // Others that were under way at the same moment fail alike, after the first has cleared this.
          const patience = prepares ? Infinity : busyTimeoutMs;
          prepares = false;
          return patience;
        }
        if (error instanceof ConnectionLost) {
          hosts.lost();
          return isRepeatable || !error.sent ? outageTimeoutMs : 0;
        }
        if (sqlState(error) === "25006") {
          hosts.lost();
          return hosts.hasOthers ? outageTimeoutMs : 0;
        }
        return isPassing(error) ? busyTimeoutMs : 0;
      }

      /** What is repeatable has no open outcome. */
      function explain(error: unknown): unknown {
        return error instanceof ConnectionLost && isRepeatable
          ? new ConnectionLost(false, error)
          : error;
      }
    },

    async close() {
      ending.abort();
      await hosts.close();
    },
  };

  async function rollBack(client: pg.PoolClient): Promise<void> {
    try {
      await ask(client, plain("ROLLBACK"), []);
    } catch (error) {
      // Without a connection there is nothing to roll back, and the first error is the one to tell.
      if (!(error instanceof ConnectionLost)) throw error;
    }
  }
}

/**
 * A transaction of ours compares under the row's lock, so it has to see what others have committed
 * meanwhile. One whose client is gone must not hold that lock for long.
 */
function beginText(busyTimeoutMs: number, outageTimeoutMs: number): string {
  return `BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL lock_timeout = ${busyTimeoutMs};
    SET LOCAL idle_in_transaction_session_timeout = ${outageTimeoutMs}`;
}

/** A connection of the primary; a wait that runs out is busy, a failure to connect is a loss. */
async function connect(hosts: Hosts, timeoutMs: number): Promise<pg.PoolClient> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const waiting = hosts.connect();
  if (hosts.timesOut) return await waiting.catch(failed);
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(noConnection(timeoutMs));
    }, timeoutMs);
  });
  // A pool that somebody else made may give a connection long after nobody wants it any more.
  void waiting.then(
    (client) => isLate && client.release(),
    () => undefined,
  );
  try {
    return await Promise.race([waiting, timeout]);
  } catch (error) {
    return failed(error);
  } finally {
    clearTimeout(timer);
  }

  function failed(error: unknown): never {
    // How a pool says that none of its connections became free; nothing else about it is peculiar.
    const isBusy = error instanceof Error && error.message.startsWith("timeout exceeded");
    if (isBusy) throw noConnection(timeoutMs);
    if (error instanceof CheckpointError || isFatalAnswer(error)) throw error;
    throw error instanceof ConnectionLost ? error : new ConnectionLost(false, error);
  }
}

/** What no further try would change: a wrong password, no such database. */
function isFatalAnswer(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(?:08|57P0)/.test(state);
}

function pause(attempt: number, left: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(shortestPause * 2 ** attempt, longestPause, left);
  const delay = Math.min(left, longest * (0.5 + Math.random() / 2));
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, delay);
    signal.addEventListener("abort", done, { once: true });
  });
}
