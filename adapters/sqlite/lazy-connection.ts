import { quote } from "../../src/index.ts";
import { retryWhileBusy } from "./back-off.ts";
import { openConnection, type Connection } from "./connection.ts";
import { requireUnmoved, sizeOf } from "./file-identity.ts";
import type { OpenDatabase } from "./load-driver.ts";
import { closedError, wrapError } from "./sqlite-errors.ts";
import type { ResolvedOptions } from "./sqlite-options.ts";

/** The one connection of a store, opened at the first use. */
export interface LazyConnection {
  /** The connection, or undefined while it is not open. */
  current(): Connection | undefined;
  /** Opens it, or waits for it; a failure is not remembered. */
  open(): Promise<Connection>;
  /** As `open`, but null when there is no database yet: looking creates nothing. */
  openExisting(): Promise<Connection | null>;
  /** Closes it for good. */
  close(): void;
}

/** Opens with `open` and waits without blocking while other processes open, switch or recover. */
export function createLazyConnection(open: OpenDatabase, options: ResolvedOptions): LazyConnection {
  const { file, inMemory, busyTimeoutMs } = options;
  let connection: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  let closed = false;

  async function start(): Promise<Connection> {
    try {
      const opened = await retryWhileBusy(() => openConnection(open, options), busyTimeoutMs);
      if (closed) {
        opened.database.close();
        throw closedError();
      }
      connection = opened;
      return opened;
    } catch (error) {
      throw wrapError(`open ${quote(file)}`, error);
    } finally {
      opening = undefined;
    }
  }

  /** A transaction that cannot be rolled back takes its connection with it; see `runGroup`. */
  function current(): Connection | undefined {
    return connection?.database.open === true ? connection : undefined;
  }

  const lazy: LazyConnection = {
    current,
    async open() {
      if (closed) throw closedError();
      return current() ?? (opening ??= start());
    },
    async openExisting() {
      if (closed) throw closedError();
      const opened = current();
      if (opened?.file != null) requireUnmoved(opened.file);
      if (opened === undefined && !inMemory && sizeOf(file) === 0) return null;
      return lazy.open();
    },
    close() {
      closed = true;
      connection?.database.close();
      connection = undefined;
    },
  };
  return lazy;
}
