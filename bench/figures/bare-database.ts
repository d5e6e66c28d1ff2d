import Database from "better-sqlite3";

/** What one would write without the kit: one table, prepared statements, no checks. */
export interface BareDatabase {
  /** One transaction that holds one insert per payload, for sessions 1, 2, 3 and so on. */
  readonly insert: (payloads: readonly string[]) => void;
  /** JSON texts of one session, in order. */
  readonly payloads: (session: number) => Iterable<string>;
  readonly close: () => void;
}

/** How a bare table finds an event. */
export type BareKey = "pair" | "integer";

interface BareTable {
  readonly create: string;
  readonly insert: string;
  readonly select: string;
  /** The key of an event, as the parameters that begin an insert. */
  readonly keyOf: (session: number, seq: number) => readonly number[];
}

const tables: Readonly<Record<BareKey, BareTable>> = {
  /** What one would write first: the two columns that name an event are its key. */
  pair: {
    create:
      "CREATE TABLE records (session INTEGER NOT NULL, seq INTEGER NOT NULL, ts INTEGER NOT NULL, " +
      "payload TEXT NOT NULL, PRIMARY KEY (session, seq)) STRICT, WITHOUT ROWID",
    insert: "INSERT INTO records VALUES (?, ?, ?, ?)",
    select: "SELECT seq, ts, payload FROM records WHERE session = ? ORDER BY seq",
    keyOf: (session, seq) => [session, seq],
  },
  /** What is fastest in SQLite: both of them packed into the row id. */
  integer: {
    create:
      "CREATE TABLE records (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, payload TEXT NOT NULL) " +
      "STRICT",
    insert: "INSERT INTO records VALUES (?, ?, ?)",
    select: "SELECT id, ts, payload FROM records WHERE id >> 32 = ? ORDER BY id",
    keyOf: (session, seq) => [session * 2 ** 32 + seq],
  },
};

/** Opens a new database with the settings of the adapter. */
export function openBareDatabase(
  file: string,
  synchronous: "normal" | "full",
  key: BareKey,
): BareDatabase {
  const table = tables[key];
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma(`synchronous = ${synchronous}`);
  database.exec(table.create);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const insert = database.prepare(table.insert);
  const commit = database.prepare("COMMIT");
  const select = database.prepare(table.select);
  let seq = 0;
  return {
    insert(payloads) {
      begin.run();
      seq += 1;
      const now = Date.now();
      for (let session = 1; session <= payloads.length; session += 1) {
        insert.run(...table.keyOf(session, seq), now, payloads[session - 1]);
      }
      commit.run();
    },
    *payloads(session) {
      for (const row of select.iterate(session) as Iterable<{ payload: string }>) {
        yield row.payload;
      }
    },
    close: () => void database.close(),
  };
}
