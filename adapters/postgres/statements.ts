import { createHash } from "node:crypto";
import { quoteIdentifier } from "./schema.ts";

/** A statement with the name that connections remember it by. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Everything the adapter says to its tables. */
export interface Statements {
  /**
   * The change of every day, in one round trip: compares and moves the head, and inserts behind it.
   * No row: the head was another one, or the session is absent, or the change is refused.
   *
   * $1 name, $2 records, $3 mtime, $4 change, $5 lock timeout, $6 seq or null, $7 generation or
   * null, $8 and on: arrays of ts, key, batch, payload, sealed. Generation, head, cuts.
   */
  readonly append: Statement;
  /** As `append`, of one record without a key; $8 ts, $9 payload, $10 sealed. */
  readonly appendOne: Statement;
  /** As `appendOne`; $11 its key, which must not be there already. */
  readonly appendOneKeyed: Statement;
  /** As `append`; $13 are the keys, none of which may be there already. */
  readonly appendKeyed: Statement;
  /** As `append`, of an absent session; $6 its generation, $7 and on the arrays. */
  readonly create: Statement;
  /**
   * $1 name, $2 keys. Id (null: absent), generation, head, cuts, the last record, then key, first seq
   * and length of a batch that has one of the keys.
   */
  readonly look: Statement;
  /**
   * $1 name: holds the session's row. Whoever had to wait for it looks with a statement of its own,
   * since this one would still see the records from before the wait.
   */
  readonly lock: Statement;
  /**
   * A page and the head in one moment. $1 name, $2 exclusive lower and $3 inclusive upper bound, $4
   * records, $5 bytes. Generation, head, record.
   */
  readonly forward: Statement;
  readonly backward: Statement;
  /** $1 prefix, $2 at most so many and what is as old as the last. Name, mtime, head. */
  readonly list: Statement;
  /** $1 prefix, $2 at most, $3 mtime: what is as old as that, and at most so many that are older. */
  readonly listAfter: Statement;
  /** $1 id, $2 keep, $3 generation, $4 mtime: drops records, gives a new generation. */
  readonly cut: Statement;
  /** $1 id, $2 seq: the key of the batch that goes on behind it, or no row. */
  readonly cutKey: Statement;
  /** $1 id, $2 key. */
  readonly dropKey: Statement;
  /** $1 id, $2 offset, $3 and on the arrays, $8 change or null, which marks the last record. */
  readonly insert: Statement;
  /** $1 id, $2 head, $3 mtime. */
  readonly moveHead: Statement;
  /** $1 name, $2 generation, $3 mtime: the row of a new session without records. Id, or no row. */
  readonly createEmpty: Statement;
  /** $1 name, $2 id: takes the session out of sight. Generation. */
  readonly hide: Statement;
  /** $1 generation, $2 mtime: a session without a name. Id. */
  readonly createHidden: Statement;
  /** $1 id, $2 generation, $3 mtime, $4 records: renews the claim on a hidden session. Id. */
  readonly touchHidden: Statement;
  /** $1 id: writes down how long each keyed batch is, of records that came one by one. */
  readonly countBatches: Statement;
  /** $1 id, $2 generation, $3 name, $4 mtime, $5 refused: gives a hidden session its name. Id. */
  readonly reveal: Statement;
  /** $1 name: takes a row that is there for its refusals only. Refused. */
  readonly dropPlaceholder: Statement;
  /** $1 id, $2 generation, $3 records at most, of a hidden session. */
  readonly purgeRecords: Statement;
  /** $1 id, $2 generation. */
  readonly purgeSession: Statement;
  /** $1 mtime: rows whose owner was last seen before that. Id, generation. */
  readonly staleHidden: Statement;
  /** $1 name, $2 change, $3 mtime: see resolve-outcome.ts. Id, generation, birth, cuts. */
  readonly refuse: Statement;
  /** $1 name, $2 change. */
  readonly unrefuse: Statement;
  /** $1 id, $2 change. Seq, ts, key, payload, sealed. */
  readonly changed: Statement;
  /** $1 name. Holes in the seqs and rows with no payload: seq, what is wrong. */
  readonly verify: Statement;
}

const record = (row: string): string =>
  ["seq", "ts", "key", "payload", "sealed"].map((column) => `${row}.${column}`).join(", ");

/** The arrays of new records, from parameter `first` on. */
function newRecords(first: number): string {
  const types = ["bigint", "text", "integer", "text", "bytea"];
  const arrays = types.map((type, index) => `$${first + index}::${type}[]`);
  const columns = "ts, key, batch, payload, sealed, place";
  return `unnest(${arrays.join(", ")}) WITH ORDINALITY AS r (${columns})`;
}

/** All statements for the tables of one schema. */
export function createStatements(schemaName: string): Statements {
  const schema = quoteIdentifier(schemaName);
  const sessions = `${schema}.sessions`;
  const records = `${schema}.records`;
  const cuts = `(SELECT last_value FROM ${schema}.cuts)`;
  const nextCut = `nextval('${schema.replaceAll("'", "''")}.cuts')`;
  const columns = "(session, seq, ts, key, batch, change, payload, sealed)";
  const notRefused = "(s.refused IS NULL OR NOT $4::uuid = ANY (s.refused))";
  const isThere = "s.name = $1 AND s.generation <> ''";
  const isHidden = "id = $1 AND generation = $2 AND name IS NULL";

  // Here, since behind a pooler no setting of a connection can be relied on.
  const patience = "patience AS MATERIALIZED (SELECT set_config('lock_timeout', $5, true))";
  const added = (source: string): string => `added AS (INSERT INTO ${records} ${columns}
    SELECT m.id, m.head - $2 + r.place, r.ts, r.key, r.batch,
      CASE WHEN r.place = $2 THEN $4::uuid END, r.payload, r.sealed
    FROM moved m, ${source})
    SELECT generation, head, ${cuts} FROM moved`;
  const append = (condition: string, source: string = newRecords(8)): string => `WITH ${patience},
    moved AS (UPDATE ${sessions} s SET head = s.head + $2::bigint, mtime = $3 FROM patience
      WHERE ${isThere} AND ${notRefused} ${condition}
        AND ($6::bigint IS NULL OR s.head = $6) AND ($7::text IS NULL OR s.generation = $7)
      RETURNING s.id, s.generation, s.head), ${added(source)}`;
  // An array for each column costs the server about as much as the insert itself.
  const oneRecord = (key: string, batch: string): string =>
    `(SELECT $8::bigint AS ts, ${key}::text AS key, ${batch}::integer AS batch, $9::text AS payload,
    $10::bytea AS sealed, 1 AS place) AS r`;
  const unused = (keys: string): string => `AND NOT EXISTS (SELECT FROM ${records} k
        WHERE k.session = s.id AND k.key = ${keys} AND k.batch IS NOT NULL)`;

  const look = `SELECT s.id, s.generation, s.head, ${cuts},
      ${record("tail")}, keyed.key, keyed.seq, keyed.batch
    FROM (SELECT 1) one LEFT JOIN ${sessions} s ON ${isThere}
    LEFT JOIN ${records} tail ON tail.session = s.id AND tail.seq = s.head
    LEFT JOIN LATERAL (SELECT k.key, k.seq, k.batch FROM ${records} k
      WHERE k.session = s.id AND k.key = ANY ($2::text[]) AND k.batch IS NOT NULL LIMIT 1) keyed ON true`;

  // The first record of a page comes whatever its size; the sizes of others are known without reading them.
  const page = (order: "" | "DESC"): string => `SELECT s.generation, s.head, ${record("p")}
    FROM ${sessions} s LEFT JOIN LATERAL (SELECT * FROM (
        SELECT r.*, sum(coalesce(octet_length(r.payload), octet_length(r.sealed)))
          OVER (ORDER BY r.seq ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM (SELECT * FROM ${records} WHERE session = s.id AND seq > $2 AND seq <= least($3, s.head)
          ORDER BY seq ${order} LIMIT $4) r) sized
      WHERE before IS NULL OR before < $5) p ON true
    WHERE ${isThere} ORDER BY p.seq ${order}`;

  const named = `SELECT name, mtime, head FROM ${sessions}
    WHERE name IS NOT NULL AND generation <> '' AND starts_with(name, $1)`;

  const texts: Record<keyof Statements, string> = {
    append: append(""),
    appendOne: append("", oneRecord("NULL", "NULL")),
    appendOneKeyed: append(unused("$11"), oneRecord("$11", "1")),
    appendKeyed: append(unused("ANY ($13::text[])")),
    create: `WITH ${patience},
      moved AS (INSERT INTO ${sessions} AS s (name, generation, head, mtime, birth)
        SELECT $1, $6, $2::bigint, $3, ${cuts} FROM patience
        ON CONFLICT (name) DO UPDATE SET generation = excluded.generation, head = excluded.head,
          mtime = excluded.mtime, birth = excluded.birth
        WHERE s.generation = '' AND ${notRefused}
        RETURNING s.id, s.generation, s.head), ${added(newRecords(7))}`,
    look,
    lock: `SELECT id FROM ${sessions} s WHERE ${isThere} FOR UPDATE`,
    forward: page(""),
    backward: page("DESC"),
    list: `${named} ORDER BY mtime DESC FETCH FIRST $2 ROWS WITH TIES`,
    listAfter: `(${named} AND mtime = $3)
      UNION ALL (${named} AND mtime < $3 ORDER BY mtime DESC FETCH FIRST $2 ROWS WITH TIES)`,
    cut: `WITH gone AS (DELETE FROM ${records} WHERE session = $1 AND seq > $2)
      UPDATE ${sessions} SET head = $2, generation = $3, mtime = $4, birth = ${nextCut} WHERE id = $1`,
    cutKey: `SELECT one.key FROM ${records} one JOIN ${records} next USING (session, key)
      WHERE session = $1 AND one.seq = $2 AND next.seq = $2 + 1`,
    dropKey: `UPDATE ${records} SET key = NULL, batch = NULL WHERE session = $1 AND key = $2
      AND seq >= (SELECT seq FROM ${records} WHERE session = $1 AND key = $2 AND batch IS NOT NULL)`,
    insert: `INSERT INTO ${records} ${columns}
      SELECT $1, $2::bigint + r.place, r.ts, r.key, r.batch,
        CASE WHEN r.place = cardinality($3::bigint[]) THEN $8::uuid END, r.payload, r.sealed
      FROM ${newRecords(3)}`,
    moveHead: `UPDATE ${sessions} SET head = $2, mtime = $3 WHERE id = $1`,
    createEmpty: `INSERT INTO ${sessions} AS s (name, generation, head, mtime, birth)
      VALUES ($1, $2, 0, $3, ${cuts})
      ON CONFLICT (name) DO UPDATE SET generation = excluded.generation, head = 0,
        mtime = excluded.mtime, birth = excluded.birth WHERE s.generation = '' RETURNING s.id`,
    hide: `WITH hidden AS (UPDATE ${sessions} SET name = NULL, mtime = 0
        WHERE name = $1 AND id = $2 RETURNING generation, refused),
      kept AS (INSERT INTO ${sessions} (name, generation, head, mtime, birth, refused)
        SELECT $1, '', 0, 0, ${cuts}, refused FROM hidden WHERE refused IS NOT NULL)
      SELECT generation, ${nextCut} FROM hidden`,
    createHidden: `INSERT INTO ${sessions} (generation, head, mtime, birth)
      VALUES ($1, 0, $2, ${cuts}) RETURNING id`,
    touchHidden: `UPDATE ${sessions} SET mtime = $3, head = head + $4::bigint
      WHERE ${isHidden} RETURNING id`,
    countBatches: `UPDATE ${records} r SET batch = keyed.length
      FROM (SELECT min(seq) AS first, count(*) AS length FROM ${records}
        WHERE session = $1 AND key IS NOT NULL GROUP BY key) keyed
      WHERE r.session = $1 AND r.seq = keyed.first`,
    reveal: `UPDATE ${sessions} SET name = $3, mtime = $4, refused = $5::uuid[], birth = ${nextCut}
      WHERE ${isHidden} RETURNING id`,
    dropPlaceholder: `DELETE FROM ${sessions} WHERE name = $1 AND generation = ''
      RETURNING refused::text`,
    purgeRecords: `DELETE FROM ${records} WHERE session = (SELECT id FROM ${sessions} WHERE ${isHidden})
      AND seq <= (SELECT min(seq) + $3 - 1 FROM ${records} WHERE session = $1) RETURNING 1`,
    purgeSession: `DELETE FROM ${sessions} WHERE ${isHidden}`,
    staleHidden: `SELECT id, generation FROM ${sessions} WHERE name IS NULL AND mtime < $1`,
    refuse: `INSERT INTO ${sessions} AS s (name, generation, head, mtime, birth, refused)
      VALUES ($1, '', 0, $3, ${cuts}, ARRAY[$2::uuid])
      ON CONFLICT (name) DO UPDATE SET refused = array_append(s.refused, $2::uuid)
      RETURNING s.id, s.generation, s.birth, ${cuts}`,
    unrefuse: `UPDATE ${sessions} SET refused = nullif(array_remove(refused, $2::uuid), '{}')
      WHERE name = $1`,
    changed: `SELECT ${record("r")} FROM ${records} r WHERE r.session = $1 AND r.change = $2::uuid`,
    verify: `SELECT expected, seq, kind FROM (
        SELECT r.seq, coalesce(lag(r.seq) OVER (ORDER BY r.seq), 0) + 1 AS expected,
          num_nonnulls(r.payload, r.sealed) AS kind
        FROM ${records} r JOIN ${sessions} s ON r.session = s.id WHERE ${isThere}
        UNION ALL SELECT s.head + 1, coalesce((SELECT max(seq) FROM ${records} r
          WHERE r.session = s.id AND r.seq <= s.head), 0) + 1, 1 FROM ${sessions} s WHERE ${isThere}) r
      WHERE seq <> expected OR kind <> 1 ORDER BY seq LIMIT 100`,
  };
  return mapValues(texts, toStatement);
}

/** Connections remember statements by name, and two stores may share one, so the name says the text. */
export function toStatement(text: string): Statement {
  const digest = createHash("sha256").update(text).digest("hex");
  return { name: `ckpt_${digest.slice(0, 32)}`, text };
}

function mapValues(
  texts: Record<keyof Statements, string>,
  map: (text: string) => Statement,
): Statements {
  const entries = Object.entries(texts).map(([key, text]) => [key, map(text)]);
  return Object.fromEntries(entries) as Statements;
}
