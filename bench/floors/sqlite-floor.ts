import Database from "better-sqlite3";
import { join } from "node:path";
import { createTexts, type Floor, type FloorOptions } from "./floor.ts";

/** One table, with the key that one would write first, and with the adapter's settings. */
export function openSqliteFloor({ folder, synced }: FloorOptions): Floor {
  const database = new Database(join(folder, "bare.db"));
  database.pragma("journal_mode = WAL");
  database.pragma(`synchronous = ${synced ? "FULL" : "NORMAL"}`);
  database.exec(
    "CREATE TABLE records (session INTEGER NOT NULL, seq INTEGER NOT NULL, ts INTEGER NOT NULL, " +
      "payload TEXT NOT NULL, PRIMARY KEY (session, seq)) STRICT, WITHOUT ROWID",
  );
  const begin = database.prepare("BEGIN IMMEDIATE");
  const insert = database.prepare("INSERT INTO records VALUES (?, ?, ?, ?)");
  const commit = database.prepare("COMMIT");
  const all = database.prepare(
    "SELECT seq, ts, payload FROM records WHERE session = 1 ORDER BY seq",
  );
  const last = database.prepare(
    "SELECT seq, ts, payload FROM records WHERE session = 1 ORDER BY seq DESC LIMIT ?",
  );
  const heads = database.prepare(
    "SELECT session, max(seq), max(ts) AS changed FROM records GROUP BY session ORDER BY changed DESC",
  );
  const textOf = createTexts();
  let seq = 0;
  const parseAll = (rows: Iterable<unknown>): number => {
    let count = 0;
    for (const row of rows) {
      if (JSON.parse((row as { payload: string }).payload) !== null) count += 1;
    }
    return count;
  };
  return {
    append(events) {
      begin.run();
      for (const event of events) insert.run(1, (seq += 1), Date.now(), textOf(event));
      commit.run();
    },
    clear: () => void database.exec("DELETE FROM records"),
    read: () => parseAll(all.iterate()),
    readLast: (count) => parseAll(last.iterate(count)),
    fillLogs(count, event) {
      begin.run();
      for (let index = 0; index < count; index += 1) insert.run(index + 2, 1, index, textOf(event));
      commit.run();
    },
    list: () => heads.all().length,
    close: () => void database.close(),
  };
}
