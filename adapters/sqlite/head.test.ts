import type Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { append } from "../../test/store-changes.ts";
import { cleanUp, openDatabase, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

/** Runs `meanwhile` whenever the session's row has been read, and before anything else is. */
function interrupt(database: Database.Database, meanwhile: () => void): void {
  const prepare = database.prepare.bind(database);
  const interrupted = (sql: string): Database.Statement => {
    const statement = prepare(sql);
    if (!sql.includes("FROM sessions s WHERE name = ?")) return statement;
    const get = statement.get.bind(statement);
    return Object.assign(statement, {
      get: (...parameters: unknown[]) => {
        const row = get(...parameters);
        meanwhile();
        return row;
      },
    });
  };
  database.prepare = interrupted as typeof database.prepare;
}

test("head() is of one moment, also when another process cuts the log in it", async () => {
  const file = temporaryFile();
  const writer = openStore({ file });
  await writer.commit("a", append(["{}", "{}", "{}"]));
  const rival = openDatabase(file);
  let cuts = 0;
  const reader = openStore({ file }, {}, (database) =>
    interrupt(database, () => {
      cuts += rival.prepare("DELETE FROM records WHERE seq > 1").run().changes;
    }),
  );
  expect(await reader.head("a")).toMatchObject({ seq: 3, tail: { seq: 3 } });
  expect(cuts).toBe(2);
  expect(await reader.head("a")).toMatchObject({ seq: 1, tail: { seq: 1 } });
});
