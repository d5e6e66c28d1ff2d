/** What one kind of schema holds. */
export interface Layout {
  /**
   * The table with its version: how many of the steps were taken. A higher one was written by a newer
   * version of the kit. No two kinds have the same.
   */
  readonly marker: string;
  readonly tables: readonly string[];
  /** The steps from one version to the next; step k makes version k + 1. */
  readonly migrations: ReadonlyArray<(schema: string) => string>;
}

/** `name` as an identifier, whatever is in it. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Sessions and their records.
 *
 * - `sessions.name` is the session id, compared byte by byte. NULL marks a hidden session: records
 *   that a rewrite is still staging, or that a delete has still to clear away.
 * - `sessions.generation` is new for every history; see `newGeneration`. Empty: there is no session
 *   of that name, and the row is there for `refused` only.
 * - `sessions.head` is the last seq. Every change of a session locks its row, so seqs have no holes
 *   and the comparison with the head is never out of date.
 * - `sessions.mtime` is in microseconds; of a hidden session it is when its owner was last seen. It
 *   has no index, so that an append rewrites the row in its page; pages are kept half empty for that.
 * - `sessions.birth` is what the sequence `cuts` had come to when this history began. Every change
 *   that drops records takes a number from it; see resolve-outcome.ts.
 * - `sessions.refused` are changes that must not be made any more: their connection broke, and
 *   whoever sent them was told that they were not made.
 * - `records.ts` is in milliseconds since the epoch.
 * - `records.key` is the idempotency key; `batch`, on the first record of a keyed append only, is
 *   how many records that append had.
 * - `records.change` names the change that wrote it, on the last record of each change only.
 * - `records.payload` is JSON text and `sealed` is what a codec made of it; one of them is NULL. Not
 *   jsonb, which refuses U+0000, and reorders and drops keys.
 * - `events` is for people: records by the name of their session.
 */
const makeSessions = (schema: string): string => `
    CREATE TABLE ${schema}.sessions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" CONSTRAINT sessions_name_key UNIQUE,
      generation text COLLATE "C" NOT NULL,
      head bigint NOT NULL,
      mtime bigint NOT NULL,
      birth bigint NOT NULL,
      refused uuid[]
    ) WITH (fillfactor = 50);
    CREATE TABLE ${schema}.records (
      session bigint NOT NULL,
      seq bigint NOT NULL,
      ts bigint NOT NULL,
      key text COLLATE "C",
      batch integer,
      change uuid,
      payload text,
      sealed bytea,
      PRIMARY KEY (session, seq)
    );
    CREATE UNIQUE INDEX records_by_key ON ${schema}.records (session, key) WHERE batch IS NOT NULL;
    CREATE SEQUENCE ${schema}.cuts;
    SELECT nextval('${schema.replaceAll("'", "''")}.cuts');
    CREATE VIEW ${schema}.events AS
      SELECT s.name AS session, r.seq, to_timestamp(r.ts / 1000.0) AS ts, r.key, r.payload, r.sealed
      FROM ${schema}.sessions s JOIN ${schema}.records r ON r.session = s.id
      WHERE s.name IS NOT NULL AND s.generation <> '';
    CREATE TABLE ${schema}.schema_version (version integer NOT NULL);
    INSERT INTO ${schema}.schema_version VALUES (1);`;

/**
 * One text a session; see versioned-rows.ts.
 *
 * - `content` is NULL where there was something that is forgotten.
 * - `versions` are the names of the last changes, newest first; none ever comes twice.
 */
const makeRows =
  (table: string) =>
  (schema: string): string => `
    CREATE TABLE ${schema}.${table} (
      session text COLLATE "C" PRIMARY KEY,
      content text,
      versions uuid[] NOT NULL
    );
    CREATE TABLE ${schema}.${table}_version (version integer NOT NULL);
    INSERT INTO ${schema}.${table}_version VALUES (1);`;

/** A schema of a store. */
export const sessionLayout: Layout = {
  marker: "schema_version",
  tables: ["sessions", "records"],
  migrations: [makeSessions],
};

/** A schema of an anchor. */
export const anchorLayout: Layout = {
  marker: "anchors_version",
  tables: ["anchors"],
  migrations: [makeRows("anchors")],
};

/** A schema of a key store. */
export const keyLayout: Layout = {
  marker: "keys_version",
  tables: ["keys"],
  migrations: [makeRows("keys")],
};

/** The tables that no schema of this kind may have while it has no version. */
export function foreignTables({ tables }: Layout): string[] {
  return [...tables, ...[sessionLayout, anchorLayout, keyLayout].map(({ marker }) => marker)];
}
