/** Version of the layout below, in `schema_version`. A higher one was written by a newer version. */
export const schemaVersion = 1;

/** `name` as an identifier, whatever is in it. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * The steps from one version of the layout to the next; step k makes version k + 1.
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
export const migrations: ReadonlyArray<(schema: string) => string> = [
  (schema) => `
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
    INSERT INTO ${schema}.schema_version VALUES (1);`,
];
