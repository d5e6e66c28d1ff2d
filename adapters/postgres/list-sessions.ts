import { pageSessions, type ListPage, type SessionInfo } from "../../src/index.ts";
import type { Run } from "./database.ts";
import type { Statements } from "./statements.ts";
import { toInteger, toMicroseconds } from "./stored-record.ts";

/** The largest count that the server takes. */
const all = "9223372036854775807";

/**
 * One page of sessions; reads no record. The server orders by time and gives all that are as old as
 * the last one. Names are ordered here, by UTF-16 code unit, which it cannot do.
 */
export async function listSessions(
  run: Run,
  statements: Statements,
  page: ListPage,
): Promise<SessionInfo[]> {
  const { cursor, limit, prefix } = page;
  if (limit === 0) return [];
  // What ends inside a surrogate pair, or holds U+0000, has no form in the database.
  const [start = ""] = prefix.split(/[\p{Surrogate}\0]/u, 1);
  const isWhole = start === prefix;
  const most = isWhole && limit < Number.MAX_SAFE_INTEGER ? String(limit) : all;
  const rows = await (cursor === undefined
    ? run(statements.list, [start, most])
    : run(statements.listAfter, [start, most, String(toMicroseconds(cursor.mtime))]));
  const sessions = rows.map(([id, mtime, head]) => ({
    id: String(id),
    mtime: toInteger(mtime) / 1_000,
    head: toInteger(head),
  }));
  return pageSessions(sessions, page);
}
