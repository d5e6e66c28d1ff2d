import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { CheckpointError } from "../../src/index.ts";

/** Opens a database file, as `new Database(file, options)` of better-sqlite3 does. */
export type OpenDatabase = (file: string, options: BetterSqlite3.Options) => BetterSqlite3.Database;

const requireFromHere = createRequire(import.meta.url);

/**
 * Loads better-sqlite3 at the first call and not at import, so that importing this entry costs
 * nothing and works without the driver.
 *
 * @param require - where to look for the package
 * @throws CheckpointError `NOT_SUPPORTED` when it is missing or its binary does not load
 */
export function loadDriver(require: (id: string) => unknown = requireFromHere): OpenDatabase {
  try {
    const Driver = require("better-sqlite3") as typeof BetterSqlite3;
    // The binary loads with the first database, and one that does not fit is better met here.
    new Driver(":memory:").close();
    return (file, options) => new Driver(file, options);
  } catch (error) {
    throw new CheckpointError(
      "NOT_SUPPORTED",
      "Cannot open a SQLite database: better-sqlite3 is missing or does not load, " +
        "run `npm install better-sqlite3`",
      { cause: error },
    );
  }
}
