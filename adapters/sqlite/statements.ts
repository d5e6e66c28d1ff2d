import type { Database, Statement } from "better-sqlite3";
import { largestSeq } from "./schema.ts";

/** A session row with its head: id, generation, last seq (null without records). */
type SessionTuple = [id: number, generation: string, seq: number | null];

/** A record without its session; what is damaged can hold anything. */
export type RecordTuple = [seq: number, ts: number, key: string | null, payload: unknown];

/** Everything the adapter says to its database, prepared once for each connection. */
export interface Statements
  extends TransactionStatements, SessionStatements, RecordStatements, HiddenStatements {}

/** Prepares all statements; fails when the schema is not ours. */
export function prepareStatements(database: Database): Statements {
  const prepare: Prepare = {
    rows: (sql) => database.prepare<never[], never>(sql).raw() as never,
    change: (sql) => database.prepare<never[]>(sql) as never,
  };
  return {
    ...prepareTransactions(database),
    ...prepareSessions(prepare),
    ...prepareRecords(prepare),
    ...prepareHidden(prepare),
  };
}

interface Prepare {
  readonly rows: <P extends unknown[], R>(sql: string) => Statement<P, R>;
  readonly change: <P extends unknown[]>(sql: string) => Statement<P>;
}

/** The id of a record, from its session's id and its seq. JavaScript's numbers do not reach it. */
const recordId = "((? << 32) | ?)";

/** The ids of all records of the session `s`. */
const ofSession = `BETWEEN s.id << 32 AND (s.id << 32) | ${largestSeq}`;

const lastRecord = `(SELECT id FROM records WHERE id ${ofSession} ORDER BY id DESC LIMIT 1)`;

interface TransactionStatements {
  readonly begin: Statement<[]>;
  readonly beginRead: Statement<[]>;
  readonly commit: Statement<[]>;
  readonly rollback: Statement<[]>;
  readonly dataVersion: Statement<[], number>;
}

function prepareTransactions(database: Database): TransactionStatements {
  return {
    begin: database.prepare<[]>("BEGIN IMMEDIATE"),
    beginRead: database.prepare<[]>("BEGIN"),
    commit: database.prepare<[]>("COMMIT"),
    rollback: database.prepare<[]>("ROLLBACK"),
    dataVersion: database.prepare<[], number>("PRAGMA data_version").pluck(),
  };
}

interface SessionStatements {
  /** By name. */
  readonly session: Statement<[string], SessionTuple>;
  /** Name, generation, mtime. */
  readonly insertSession: Statement<[string | null, string, number]>;
  /** Generation, mtime, id. */
  readonly renewSession: Statement<[string, number, number]>;
  readonly deleteSession: Statement<[number]>;
  /** Lowest name, name that all are below, highest mtime: name, mtime, head. */
  readonly list: Statement<[string, Uint8Array, number], [string, number, number]>;
  /** Lowest name and name that all are below: id, name, mtime; touches no record. */
  readonly names: Statement<[string, Uint8Array], [number, string, number]>;
}

function prepareSessions({ rows, change }: Prepare): SessionStatements {
  const ofPrefix = "name >= ? AND name < CAST(? AS TEXT)";
  return {
    session: rows(`SELECT id, generation, ${lastRecord} & ${largestSeq}
      FROM sessions s WHERE name = ?`),
    insertSession: change("INSERT INTO sessions (name, generation, mtime) VALUES (?, ?, ?)"),
    renewSession: change("UPDATE sessions SET generation = ?, mtime = ? WHERE id = ?"),
    deleteSession: change("DELETE FROM sessions WHERE id = ?"),
    list: rows(`SELECT name, coalesce(last.mtime, s.mtime) AS changed, coalesce(last.seq, 0)
      FROM sessions s LEFT JOIN records last ON last.id = ${lastRecord}
      WHERE ${ofPrefix} AND changed <= ? ORDER BY changed DESC`),
    names: rows(`SELECT id, name, mtime FROM sessions WHERE ${ofPrefix}`),
  };
}

interface RecordStatements {
  /** By session and seq. */
  readonly record: Statement<[number, number], RecordTuple>;
  /** Session and exclusive lower bound, session and inclusive upper bound, bytes of a payload. */
  readonly forward: Statement<[number, number, number, number, number], RecordTuple>;
  readonly backward: Statement<[number, number, number, number, number], RecordTuple>;
  /** First and last seq of a session's records with a key. */
  readonly keyed: Statement<[number, string], [number | null, number | null]>;
  /** Seq and mtime of a session's last record. */
  readonly lastChange: Statement<[number], [number, number | null]>;
  /** Session and exclusive lower bound, session, at most so many: seq and the payload's type. */
  readonly shapes: Statement<[number, number, number, number], [number, string]>;
  /** Session, seq, ts, mtime, key, payload. */
  readonly insertRecord: Statement<
    [number, number, number, number | null, string | null, string | Uint8Array]
  >;
  /**
   * Seq, ts, mtime, payload, then session row, name and generation. Changes nothing when there is
   * no such session any more, or its log has that seq already. Looking up the highest seq as well
   * would make SQLite put the row into a temporary table first.
   */
  readonly insertBehind: Statement<
    [number, number, number | null, string | Uint8Array, number, string, string]
  >;
  /** Session and the last seq to keep, session. */
  readonly cutRecords: Statement<[number, number, number]>;
  /** Session and key. */
  readonly dropKey: Statement<[number, string]>;
  /** Mtime, session, seq. */
  readonly stampRecord: Statement<[number, number, number]>;
}

function prepareRecords({ rows, change }: Prepare): RecordStatements {
  const columns = "id, ts, mtime, key, payload";
  const between = `SELECT seq, ts, key, payload FROM records
    WHERE id > ${recordId} AND id <= ${recordId} AND octet_length(payload) <= ?`;
  return {
    record: rows(`SELECT seq, ts, key, payload FROM records WHERE id = ${recordId}`),
    forward: rows(`${between} ORDER BY id`),
    backward: rows(`${between} ORDER BY id DESC`),
    keyed: rows("SELECT min(seq), max(seq) FROM records WHERE session = ? AND key = ?"),
    lastChange: rows(`SELECT r.seq, r.mtime FROM sessions s JOIN records r ON r.id ${ofSession}
      WHERE s.id = ? ORDER BY r.id DESC LIMIT 1`),
    shapes: rows(`SELECT seq, typeof(payload) FROM records
      WHERE id > ${recordId} AND id <= (? << 32) | ${largestSeq} ORDER BY id LIMIT ?`),
    insertRecord: change(`INSERT INTO records (${columns}) VALUES (${recordId}, ?, ?, ?, ?)`),
    insertBehind: change(`INSERT OR IGNORE INTO records (${columns})
      SELECT (id << 32) | ?, ?, ?, NULL, ?
      FROM sessions WHERE id = ? AND name = ? AND generation = ?`),
    cutRecords: change(`DELETE FROM records
      WHERE id > ${recordId} AND id <= (? << 32) | ${largestSeq}`),
    dropKey: change("UPDATE records SET key = NULL WHERE session = ? AND key = ?"),
    stampRecord: change(`UPDATE records SET mtime = ? WHERE id = ${recordId}`),
  };
}

interface HiddenStatements {
  readonly hideSession: Statement<[number]>;
  /** Mtime, then id and generation of a session that must be hidden. */
  readonly touchHidden: Statement<[number, number, string]>;
  /** Name and mtime, then id and generation of a session that must be hidden. */
  readonly showHidden: Statement<[string, number, number, string]>;
  /** Id and generation, at most so many: records of a session that must be hidden. */
  readonly purgeRecords: Statement<[number, string, number]>;
  /** Id and generation. */
  readonly purgeSession: Statement<[number, string]>;
  /** Hidden sessions whose owner was last seen before this many microseconds. */
  readonly staleHidden: Statement<[number], [id: number, generation: string]>;
}

function prepareHidden({ rows, change }: Prepare): HiddenStatements {
  const isHidden = "id = ? AND generation = ? AND name IS NULL";
  return {
    hideSession: change("UPDATE sessions SET name = NULL, mtime = 0 WHERE id = ?"),
    touchHidden: change(`UPDATE sessions SET mtime = ? WHERE ${isHidden}`),
    showHidden: change(`UPDATE sessions SET name = ?, mtime = ? WHERE ${isHidden}`),
    purgeRecords: change(`DELETE FROM records WHERE id IN (SELECT r.id
      FROM sessions s JOIN records r ON r.id ${ofSession}
      WHERE s.id = ? AND s.generation = ? AND s.name IS NULL LIMIT ?)`),
    purgeSession: change(`DELETE FROM sessions WHERE ${isHidden}`),
    staleHidden: rows("SELECT id, generation FROM sessions WHERE name IS NULL AND mtime < ?"),
  };
}
