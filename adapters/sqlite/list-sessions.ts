import { comparePosition, pageSessions, type ListPage, type SessionInfo } from "../../src/index.ts";
import type { Connection } from "./connection.ts";
import { readTransaction } from "./read-transaction.ts";
import { isCorrupt } from "./sqlite-errors.ts";
import { toMicroseconds } from "./stored-record.ts";

/** One page of sessions; reads the start of each session's last record and no payload. */
export function listSessions(connection: Connection, page: ListPage): SessionInfo[] {
  try {
    return listHealthy(connection, page);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return readTransaction(connection, () => listOneByOne(connection, page));
  }
}

/**
 * SQLite orders by time, and the page is cut here: names are ordered by UTF-16 code unit, which
 * SQLite cannot do, and so only where times are equal.
 */
function listHealthy({ statements }: Connection, page: ListPage): SessionInfo[] {
  const { cursor, limit, prefix } = page;
  const latest = cursor === undefined ? Number.MAX_SAFE_INTEGER : toMicroseconds(cursor.mtime) + 1;
  const found: SessionInfo[] = [];
  if (limit === 0) return found;
  for (const [id, changed, head] of statements.list.iterate(...nameRange(prefix), latest)) {
    const session = { id, mtime: changed / 1_000, head };
    if (!id.startsWith(prefix)) continue;
    if (cursor !== undefined && comparePosition(session, cursor) <= 0) continue;
    if (found.length >= limit && found.at(-1)?.mtime !== session.mtime) break;
    found.push(session);
  }
  return pageSessions(found, page);
}

/** The slow way, for a damaged file: one session that cannot be read hides no other. */
function listOneByOne({ statements }: Connection, page: ListPage): SessionInfo[] {
  const sessions: SessionInfo[] = [];
  for (const [row, id, mtime] of statements.names.all(...nameRange(page.prefix))) {
    try {
      const [head, changed] = statements.lastChange.get(row) ?? [0, null];
      sessions.push({ id, mtime: (changed ?? mtime) / 1_000, head });
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      sessions.push({ id, mtime: mtime / 1_000, head: 0, damaged: true });
    }
  }
  return pageSessions(sessions, page);
}

/**
 * The names that can start with `prefix`, from the lowest to below one that no name reaches: SQLite
 * compares bytes, and no UTF-8 text holds 0xFF. A prefix that ends inside a surrogate pair has no
 * UTF-8 form, so its pair's neighbours come along.
 */
function nameRange(prefix: string): [lowest: string, above: Uint8Array] {
  const [lowest = ""] = prefix.split(/\p{Surrogate}/u, 1);
  return [lowest, Buffer.concat([Buffer.from(lowest), Buffer.of(0xff)])];
}
