import {
  CheckpointError,
  quote,
  requireSessionId,
  toAnchorPoint,
  type Anchor,
  type AnchorPoint,
} from "../../src/index.ts";
import { resolvePlace, type PostgresServerOptions } from "./postgres-options.ts";
import type { PostgresOperations } from "./postgres-store.ts";
import { anchorLayout } from "./schema.ts";
import { createVersionedRows } from "./versioned-rows.ts";

/** Options of {@link postgresAnchor}; one of `connectionString` and `pool` has to be there. */
export interface PostgresAnchorOptions extends PostgresServerOptions {
  /**
   * A schema for anchors alone, where the role that writes the log has no rights: 1 to 63 UTF-8 bytes.
   * Made at the first write, or by `setup()`. Default `"checkpointer_anchors"`.
   */
  readonly schema?: string | undefined;
}

/** An anchor on PostgreSQL, with its operations. */
export interface PostgresAnchor extends Anchor, PostgresOperations {
  /** Every session that something is known of, whether or not a log is left of it. */
  list(): AsyncIterable<string>;
  close(): Promise<void>;
}

/**
 * An anchor that keeps one row a session in a schema of its own, for any number of machines. It is
 * worth as much as the wall around it: connect as a role that the log's role cannot become
 * (docs/operating-postgres.md), or to another server.
 *
 * What `set` says holds although connections break: it finds out whether the anchor was moved, and
 * moves it once. That is so even if somebody else has put the same point back meanwhile. `set` fails
 * with `OUTCOME_UNKNOWN` while the database stays away, or after eight later changes of the session.
 *
 * Each checkpointer needs one of its own, which it closes. A session that is forgotten leaves its id
 * in the table.
 *
 * @throws CheckpointError `NOT_SUPPORTED` when pg is not installed
 * @throws TypeError or RangeError for an unusable option
 * @example
 * ```ts
 * const anchor = postgresAnchor({ connectionString: "postgres://notary@db/agents" });
 * const checkpointer = postgresCheckpointer({ connectionString, codec, anchor });
 * ```
 */
export function postgresAnchor(options: PostgresAnchorOptions): PostgresAnchor {
  const rows = createVersionedRows(resolvePlace(options, "checkpointer_anchors"), anchorLayout);
  return {
    async get(sessionId) {
      requireSessionId(sessionId);
      return parsePoint(sessionId, await rows.read("read the anchor of session", sessionId));
    },
    async set(sessionId, point, expected) {
      requireSessionId(sessionId);
      const [next, wanted] = [toText(point), toText(expected)];
      return rows.change("move the anchor of session", sessionId, (content) =>
        toText(parsePoint(sessionId, content)) === wanted ? next : undefined,
      );
    },
    list: () => rows.list(),
    setup: () => rows.setup(),
    isSetUp: () => rows.isSetUp(),
    close: () => rows.close(),
  };
}

function toText(point: AnchorPoint | null): string | null {
  return point === null ? null : JSON.stringify(toAnchorPoint(point));
}

function parsePoint(sessionId: string, text: string | null): AnchorPoint | null {
  if (text === null) return null;
  let point: AnchorPoint | null = null;
  try {
    point = toAnchorPoint(JSON.parse(text));
  } catch {
    point = null;
  }
  if (point !== null) return point;
  const detail = "its anchor is damaged";
  throw new CheckpointError("ANCHOR_MISMATCH", `Cannot use session ${quote(sessionId)}: ${detail}`);
}
