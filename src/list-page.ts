import type { ListPage } from "./record-store.ts";
import type { ListPosition, SessionInfo } from "./session-info.ts";

/**
 * List order: most recent change first, then id ascending by UTF-16 code unit. Total, so that pages
 * neither repeat nor skip.
 */
export function comparePosition(left: ListPosition, right: ListPosition): number {
  if (left.mtime !== right.mtime) return right.mtime - left.mtime;
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0;
}

/** One page of `sessions`, filtered and in list order; for stores that know all of them anyway. */
export function pageSessions(sessions: Iterable<SessionInfo>, page: ListPage): SessionInfo[] {
  const { cursor, prefix, limit } = page;
  const matching: SessionInfo[] = [];
  for (const session of sessions) {
    if (!session.id.startsWith(prefix)) continue;
    if (cursor !== undefined && comparePosition(session, cursor) <= 0) continue;
    matching.push(session);
  }
  return matching.sort(comparePosition).slice(0, limit);
}
