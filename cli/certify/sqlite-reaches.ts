import type { Database } from "better-sqlite3";
import type { DamageKind, Fixture } from "../../conformance/fixture.ts";

/** How the suite damages a database and keeps writers out of it: as any other program would, with SQL. */
export function sqliteReaches(file: string): Pick<Fixture, "storage" | "damage" | "block"> {
  return {
    storage: "engine",
    damage: (sessionId, seq, kind) =>
      withDatabase(file, (database) => {
        database.prepare(damages[kind]).run({ sessionId, seq });
      }),
    async block() {
      const database = await openDatabase(file);
      database.exec("BEGIN IMMEDIATE");
      return () => {
        database.exec("ROLLBACK");
        database.close();
      };
    },
  };
}

const where = `WHERE session = (SELECT id FROM sessions WHERE name = @sessionId) AND seq = @seq`;

/** Garbled are the first character of JSON and the last byte of what a codec made. */
const damages: Readonly<Record<DamageKind, string>> = {
  garble: `UPDATE records SET payload = CASE typeof(payload)
    WHEN 'text' THEN '?' || substr(payload, 2)
    ELSE CAST(substr(payload, 1, length(payload) - 1)
      || CASE substr(payload, -1) WHEN x'00' THEN x'01' ELSE x'00' END AS BLOB) END ${where}`,
  remove: `DELETE FROM records ${where}`,
};

async function openDatabase(file: string): Promise<Database> {
  const { default: Driver } = await import("better-sqlite3");
  return new Driver(file, { fileMustExist: true });
}

async function withDatabase(file: string, work: (database: Database) => void): Promise<void> {
  const database = await openDatabase(file);
  try {
    work(database);
  } finally {
    database.close();
  }
}
