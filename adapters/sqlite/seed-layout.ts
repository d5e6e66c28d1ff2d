import type { Database } from "better-sqlite3";
import { CheckpointError, quote } from "../../src/index.ts";
import { sqliteCode } from "./sqlite-errors.ts";

/** The names that one seed database uses, quoted for SQL. */
export interface SeedLayout {
  /** Columns of `events`. */
  readonly session: string;
  readonly seq: string;
  readonly event: string;
  /** Columns of `sessions`; null when there is nothing to order sessions by. */
  readonly order: { readonly id: string; readonly changed: string } | null;
}

/** What the seed's versions and its relatives call their columns. */
const spellings = {
  session: ["session_id", "session"],
  seq: ["seq"],
  event: ["payload", "event", "data"],
  id: ["id", "session_id", "session"],
  changed: ["updated", "mtime", "updated_at"],
} as const;

/**
 * Finds out how a database of the seed names its columns.
 *
 * @throws CheckpointError `UNSUPPORTED_FORMAT`, saying what was wanted and what was met
 */
export function detectSeedLayout(database: Database, file: string): SeedLayout {
  const events = columnsOf(database, file, "events");
  const sessions = columnsOf(database, file, "sessions");
  const column = (wanted: readonly string[]): string => {
    const found = find(events, wanted);
    if (found !== null) return found;
    const met = events.length === 0 ? "no such table" : `the columns ${events.join(", ")}`;
    throw refuse(file, `in table events wanted a column ${wanted.join(" or ")}, met ${met}`);
  };
  const [session, seq] = [column(spellings.session), column(spellings.seq)];
  const event = column(spellings.event);
  const id = find(sessions, spellings.id);
  const changed = find(sessions, spellings.changed);
  const order = id === null || changed === null ? null : { id, changed };
  return { session, seq, event, order };
}

function columnsOf(database: Database, file: string, table: string): string[] {
  try {
    const names = database.prepare<[string], string>("SELECT name FROM pragma_table_info(?)");
    return names.pluck().all(table);
  } catch (error) {
    if (sqliteCode(error) === "SQLITE_NOTADB") throw refuse(file, "it is not a SQLite database");
    throw error;
  }
}

function find(columns: readonly string[], wanted: readonly string[]): string | null {
  const name = wanted.find((spelling) => columns.includes(spelling));
  return name === undefined ? null : `"${name}"`;
}

function refuse(file: string, reason: string): CheckpointError {
  return new CheckpointError("UNSUPPORTED_FORMAT", `Cannot import ${quote(file)}: ${reason}`);
}
