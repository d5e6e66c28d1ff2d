import {
  createCheckpointer,
  type Checkpointer,
  type EventObject,
  type SessionEvent,
} from "../../src/index.ts";
import type { SqliteCheckpointerOptions } from "./sqlite-options.ts";
import { sqliteStore, type SqliteOperations } from "./sqlite-store.ts";

/** A checkpointer on SQLite, with the operations of its database. */
export interface SqliteCheckpointer<E extends EventObject = SessionEvent>
  extends Checkpointer<E>, SqliteOperations {}

/**
 * Sessions in one SQLite file, through better-sqlite3. Any number of handles and processes of one
 * machine may use it; a network file system is not safe for SQLite.
 *
 * Returns at once. The file is opened at the first use and created at the first write, so that
 * every failure of the file is a rejection of a call and not of this one.
 *
 * @throws CheckpointError `NOT_SUPPORTED` when better-sqlite3 is not installed
 * @throws TypeError or RangeError for an unusable option
 * @example
 * ```ts
 * const checkpointer = sqliteCheckpointer({ file: "./sessions.db" });
 * await checkpointer.append("session-1", [{ type: "user", content: "Hello" }]);
 * await checkpointer.close();
 * ```
 */
export function sqliteCheckpointer<E extends EventObject = SessionEvent>(
  options: SqliteCheckpointerOptions,
): SqliteCheckpointer<E> {
  const { codec, anchor, ...storeOptions } = options;
  const store = sqliteStore(storeOptions);
  return {
    ...createCheckpointer<E>(store, { codec, anchor }),
    checkIntegrity: () => store.checkIntegrity(),
    backup: (path) => store.backup(path),
  };
}
