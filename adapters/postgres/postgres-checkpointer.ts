import {
  createCheckpointer,
  type Checkpointer,
  type EventObject,
  type SessionEvent,
} from "../../src/index.ts";
import type { PostgresCheckpointerOptions } from "./postgres-options.ts";
import { postgresStore, type PostgresOperations } from "./postgres-store.ts";

/** A checkpointer on PostgreSQL, with the operations of its store. */
export interface PostgresCheckpointer<E extends EventObject = SessionEvent>
  extends Checkpointer<E>, PostgresOperations {}

/**
 * Sessions in one schema of a PostgreSQL database, version 13 or newer, through the package pg. Any
 * number of handles, processes and machines may use it.
 *
 * Returns at once. The first connection is made at the first use and the tables at the first write,
 * so that every failure of the database is a rejection of a call and not of this one.
 *
 * @throws CheckpointError `NOT_SUPPORTED` when pg is not installed
 * @throws TypeError or RangeError for an unusable option
 * @example
 * ```ts
 * const checkpointer = postgresCheckpointer({ connectionString: "postgres://agent@db/agents" });
 * await checkpointer.append("session-1", [{ type: "user", content: "Hello" }]);
 * await checkpointer.close();
 * ```
 */
export function postgresCheckpointer<E extends EventObject = SessionEvent>(
  options: PostgresCheckpointerOptions,
): PostgresCheckpointer<E> {
  const { codec, anchor, ...storeOptions } = options;
  const store = postgresStore(storeOptions);
  return {
    ...createCheckpointer<E>(store, { codec, anchor }),
    setup: () => store.setup(),
    isSetUp: () => store.isSetUp(),
  };
}
