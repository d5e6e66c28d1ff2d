import {
  limits,
  quote,
  type RecordStore,
  type StoreCapabilities,
  type StoreFinding,
} from "../../src/index.ts";
import { createCommit } from "./commit-change.ts";
import { createDatabase, type Run } from "./database.ts";
import { deleteSession } from "./delete-session.ts";
import { purgeStale } from "./hidden-sessions.ts";
import { createHosts } from "./hosts.ts";
import { listSessions } from "./list-sessions.ts";
import { loadDriver, type Driver } from "./load-driver.ts";
import { noKeys } from "./new-records.ts";
import { resolveOptions, type PostgresStoreOptions } from "./postgres-options.ts";
import type { ResolvedOptions } from "./postgres-options.ts";
import { createSchema } from "./prepare-schema.ts";
import { readPages } from "./read-pages.ts";
import { rewriteLog } from "./rewrite-log.ts";
import { sessionLayout } from "./schema.ts";
import { lookAt } from "./session-look.ts";
import { createStatements } from "./statements.ts";
import { toInteger } from "./stored-record.ts";
import { createWatchers } from "./watchers.ts";

/** What a Postgres store can do beyond storing records. */
export interface PostgresOperations {
  /**
   * Makes the schema and its tables, or brings them up to date; otherwise the first write does. Any
   * number of processes may do so at once. The role needs the right to create in the database, which
   * a role that only reads and writes sessions does not.
   *
   * @throws CheckpointError `UNSUPPORTED_FORMAT` for a newer version, or tables that are not ours
   */
  setup(): Promise<void>;
  /**
   * Whether the tables are there. Looking creates nothing.
   *
   * @throws CheckpointError `UNSUPPORTED_FORMAT` for a newer version, or tables that are not ours
   */
  isSetUp(): Promise<boolean>;
}

/** A `RecordStore` on PostgreSQL, with its operations. */
export interface PostgresStore extends RecordStore, PostgresOperations {}

/** Milliseconds of silence after which staged records count as left behind. */
const staleMs = 60 * 60 * 1_000;

/**
 * A store in one schema of a PostgreSQL database, shared by any number of machines.
 *
 * It has no `exclusively`: a transaction that stays open across asynchronous work would hold a
 * connection and a row for as long. The engine encodes again instead when another handle was faster.
 *
 * @throws CheckpointError `NOT_SUPPORTED` when pg is not installed
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  return createPostgresStore(resolveOptions(options), loadDriver());
}

function createPostgresStore(options: ResolvedOptions, driver: Driver): PostgresStore {
  const hosts = createHosts(driver, options);
  const database = createDatabase(hosts, options);
  const schema = createSchema(database, options.schema, sessionLayout);
  const statements = createStatements(options.schema);
  const watchers = createWatchers(driver, hosts, database, options);
  const commit = createCommit({ database, statements, busyTimeoutMs: options.busyTimeoutMs });
  let purging: Promise<void> | undefined;

  /** Only a process that writes anyway cleans up, and only once. */
  function written(sessionId: string): void {
    watchers.changed(sessionId);
    purging ??= purgeStale(database, statements, staleMs).catch(() => undefined);
  }

  /** Reads from the tables, or gives `absent` where there are none. */
  async function look<T>(
    action: string,
    absent: T,
    read: (run: Run) => Promise<T>,
    sessionId?: string,
  ): Promise<T> {
    if (!(await schema.exists())) return absent;
    const place = sessionId === undefined ? {} : { sessionId };
    return database.persist(action, () => read(database.run), { ...place, isRepeatable: true });
  }

  return {
    capabilities,

    head: (sessionId) =>
      look(
        `read session ${quote(sessionId)}`,
        null,
        async (run) => (await lookAt(run, statements, sessionId, noKeys)).head,
        sessionId,
      ),

    async commit(sessionId, change) {
      await schema.ensure();
      const outcome = await commit(sessionId, change);
      if ("head" in outcome) written(sessionId);
      return outcome;
    },

    read: (sessionId, range) => readPages(database, schema, statements, sessionId, range),

    list: (page) => look("list", [], (run) => listSessions(run, statements, page)),

    async delete(sessionId) {
      if (!(await schema.exists())) return;
      await deleteSession(database, statements, sessionId);
      written(sessionId);
    },

    async rewrite(sessionId, base, records, mtime) {
      await schema.ensure();
      const outcome = await rewriteLog(database, statements, sessionId, base, records, mtime);
      if ("head" in outcome) written(sessionId);
      return outcome;
    },

    watch: (sessionId, signal) => watchers.watch(sessionId, signal),

    verify: (sessionId) =>
      look<StoreFinding[]>("verify", [], async (run) =>
        (await run(statements.verify, [sessionId])).map((row) => {
          const [expected = 0, seq = 0, contents = 0] = row.map(toInteger);
          return seq === expected
            ? finding(seq, `its payload has ${contents} forms`)
            : finding(expected, `expected seq ${expected}, found ${seq}`);
        }),
      ),

    setup: () => schema.ensure(),
    isSetUp: () => schema.exists(),

    async close() {
      await watchers.close();
      await database.close();
    },
  };
}

function finding(seq: number, message: string): StoreFinding {
  return { code: "CORRUPT_LOG", seq, offset: null, message };
}

const capabilities: StoreCapabilities = Object.freeze({
  concurrency: "network",
  durability: "power",
  readIsolation: "prefix",
  clock: "local",
  limits: Object.freeze({
    maxEventBytes: limits.maxEventBytes,
    maxBatchEvents: limits.maxBatchEvents,
    maxSessionIdBytes: limits.maxSessionIdBytes,
  }),
  truncate: true,
  idempotency: true,
});
