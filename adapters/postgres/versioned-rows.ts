import { randomUUID } from "node:crypto";
import { CheckpointError, isCheckpointError, quote } from "../../src/index.ts";
import { createDatabase, type Value } from "./database.ts";
import { createHosts } from "./hosts.ts";
import { loadDriver } from "./load-driver.ts";
import { asUnsent, closedError, ConnectionLost } from "./postgres-errors.ts";
import type { ResolvedPlace } from "./postgres-options.ts";
import type { PostgresOperations } from "./postgres-store.ts";
import { createSchema } from "./prepare-schema.ts";
import { quoteIdentifier, type Layout } from "./schema.ts";
import { toStatement, type Statement } from "./statements.ts";

/** A table of one text a session, each of which changes by comparison alone. */
export interface VersionedRows extends PostgresOperations {
  /** @returns null where there is nothing */
  read(action: string, sessionId: string): Promise<string | null>;
  /**
   * Changes a row in one statement that compares. What it says holds although connections break.
   *
   * @param next - what comes after a content; undefined: leave it. May be called several times.
   * @returns whether it was changed
   * @throws CheckpointError `OUTCOME_UNKNOWN` when it may have been
   */
  change(
    action: string,
    sessionId: string,
    next: (content: string | null) => string | null | undefined,
  ): Promise<boolean>;
  /** Sessions whose row has a content, by code point. */
  list(): AsyncGenerator<string, void, void>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Versions that a row remembers: so many changes of others may follow a lost one before it cannot be told. */
const mostVersions = 8;

/** Sessions whose row, as it was last seen, saves a change the look before it. */
const mostRemembered = 1_000;

/** Lost races of one change before it gives up. */
const mostTries = 1_000;

/** Session ids in one step of `list`. */
const listPageSize = 1_000;

interface Row {
  readonly content: string | null;
  /** Newest first; empty: there is no row. */
  readonly versions: readonly string[];
}

/** A change that was sent, and whose answer is missing. */
interface Lost {
  /** The version that it gives the row. */
  readonly version: string;
  /** The version that the row must have; null: there must be none. */
  readonly base: string | null;
}

/**
 * Rows with the names of their last changes. A change names the one before it and gives the row a new
 * name, all in one statement. Names never come twice, and no row is ever removed. So a change that is
 * still under way when its connection breaks can be sent again: at most one of the two is made,
 * however late the other one arrives and whatever others put back meanwhile. Which of them was made,
 * if any, is read in the row.
 */
export function createVersionedRows(place: ResolvedPlace, layout: Layout): VersionedRows {
  const database = createDatabase(createHosts(loadDriver(), place), place);
  const schema = createSchema(database, place.schema, layout);
  const [table = ""] = layout.tables;
  const statements = createRowStatements(`${quoteIdentifier(place.schema)}.${table}`);
  const remembered = new Map<string, Row>();
  let closing: Promise<void> | undefined;

  function requireOpen(): void {
    if (closing !== undefined) throw closedError();
  }

  function remember(sessionId: string, row: Row): void {
    remembered.delete(sessionId);
    remembered.set(sessionId, row);
    const [oldest] = remembered.keys();
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
  }

  async function look(sessionId: string): Promise<Row> {
    const [columns] = await database.run(statements.look, [sessionId]);
    const row = columns === undefined ? { content: null, versions: [] } : toRow(columns);
    remember(sessionId, row);
    return row;
  }

  /** Whether the row was still what it is compared with. */
  async function write(
    sessionId: string,
    content: string | null,
    { versions }: Row,
    version: string,
  ): Promise<boolean> {
    const patience = String(place.busyTimeoutMs);
    const values: Value[] = [sessionId, content, version, patience];
    const [base] = versions;
    const rows = await (base === undefined
      ? database.run(statements.create, values)
      : database.run(statements.replace, [...values, base]));
    if (rows.length === 0) return false;
    const kept = [version, ...versions].slice(0, mostVersions);
    remember(sessionId, { content, versions: kept });
    return true;
  }

  async function change(
    action: string,
    sessionId: string,
    next: (content: string | null) => string | null | undefined,
  ): Promise<boolean> {
    const lost: Lost[] = [];
    let known = remembered.get(sessionId);

    async function attempt(): Promise<boolean> {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const row = known ?? (await asUnsent(look(sessionId)));
        const isFresh = known === undefined;
        known = undefined;
        if (isFresh && wasMade(lost, row, sessionId, action)) return true;
        const content = next(row.content);
        // What is remembered may be out of date, and so proves nothing by itself.
        if (!isFresh && (content === undefined || content === row.content)) continue;
        if (content === undefined) return false;
        if (content === row.content) return true;
        if (await send(row, content)) return true;
      }
      const detail = `it was another one at each of ${mostTries} looks`;
      throw new CheckpointError("BUSY", `Cannot ${action} ${quote(sessionId)}: ${detail}`);
    }

    async function send(row: Row, content: string | null): Promise<boolean> {
      const version = randomUUID();
      try {
        return await write(sessionId, content, row, version);
      } catch (error) {
        if (!(error instanceof ConnectionLost) || !error.sent) throw error;
        lost.push({ version, base: row.versions[0] ?? null });
        throw new ConnectionLost(false, error.cause);
      }
    }

    await schema.ensure();
    try {
      return await database.persist(`${action} ${quote(sessionId)}`, attempt, { sessionId });
    } catch (error) {
      const isSettled = lost.length === 0 || isCheckpointError(error, "CLOSED");
      throw isSettled ? error : unknownOutcome(action, sessionId, error);
    }
  }

  return {
    async read(action, sessionId) {
      requireOpen();
      if (!(await schema.exists())) return null;
      const looking = (): Promise<Row> => look(sessionId);
      const options = { sessionId, isRepeatable: true };
      return (await database.persist(`${action} ${quote(sessionId)}`, looking, options)).content;
    },
    async change(action, sessionId, next) {
      requireOpen();
      return change(action, sessionId, next);
    },
    async *list() {
      requireOpen();
      if (!(await schema.exists())) return;
      let after = "";
      for (;;) {
        const values = [after, String(listPageSize)];
        const paging = () => database.run(statements.list, values);
        const rows = await database.persist("list", paging, { isRepeatable: true });
        for (const [sessionId] of rows) yield (after = String(sessionId));
        if (rows.length < listPageSize) return;
      }
    },
    setup: () => schema.ensure(),
    isSetUp: () => schema.exists(),
    close: () => (closing ??= database.close()),
  };
}

/**
 * Whether one of the changes without an answer was made. One that is not in a row which still
 * remembers what it was compared with was not, and never will be once the row has moved on.
 */
function wasMade(
  lost: readonly Lost[],
  { versions }: Row,
  sessionId: string,
  action: string,
): boolean {
  if (lost.some(({ version }) => versions.includes(version))) return true;
  const isOpen = ({ base }: Lost): boolean =>
    base === null ? versions.length === mostVersions : !versions.includes(base);
  if (lost.some(isOpen)) throw unknownOutcome(action, sessionId);
  return false;
}

function unknownOutcome(action: string, sessionId: string, cause?: unknown): CheckpointError {
  const detail = "the connection broke, and what became of it cannot be told any more";
  const message = `Cannot ${action} ${quote(sessionId)}: ${detail}`;
  return new CheckpointError("OUTCOME_UNKNOWN", message, { cause });
}

function toRow([content, versions]: readonly unknown[]): Row {
  return {
    content: typeof content === "string" ? content : null,
    versions: String(versions).split(" "),
  };
}

interface RowStatements {
  /** $1 session. Content, versions. */
  readonly look: Statement;
  /** $1 session, $2 content, $3 version, $4 lock timeout. A row when it was made. */
  readonly create: Statement;
  /** As `create`; $5 the version that must be there. */
  readonly replace: Statement;
  /** $1 the session before, $2 at most. */
  readonly list: Statement;
}

function createRowStatements(table: string): RowStatements {
  // Here, since behind a pooler no setting of a connection can be relied on.
  const patience = "WITH patience AS MATERIALIZED (SELECT set_config('lock_timeout', $4, true))";
  return {
    look: toStatement(
      `SELECT content, array_to_string(versions, ' ') FROM ${table} WHERE session = $1`,
    ),
    create: toStatement(`${patience} INSERT INTO ${table} (session, content, versions)
      SELECT $1, $2, ARRAY[$3::uuid] FROM patience ON CONFLICT (session) DO NOTHING RETURNING 1`),
    replace: toStatement(`${patience} UPDATE ${table} r
      SET content = $2, versions = ($3::uuid || r.versions)[1:${mostVersions}] FROM patience
      WHERE r.session = $1 AND r.versions[1] = $5::uuid RETURNING 1`),
    list: toStatement(`SELECT session FROM ${table} WHERE content IS NOT NULL AND session > $1
      ORDER BY session LIMIT $2`),
  };
}
