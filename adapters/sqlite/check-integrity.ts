import type { Database } from "better-sqlite3";
import type { IntegrityReport } from "./integrity-report.ts";
import { isCorrupt } from "./sqlite-errors.ts";

/**
 * Runs `PRAGMA quick_check`: every page and row, without comparing indexes with tables. Takes time
 * in proportion to the file, during which the process does nothing else.
 *
 * @see https://www.sqlite.org/pragma.html#pragma_quick_check
 */
export function quickCheck(database: Database): IntegrityReport {
  try {
    const rows = database.prepare<[], string>("PRAGMA quick_check").pluck().all();
    const detail = rows.join("\n");
    return { ok: detail === "ok", detail };
  } catch (error) {
    if (!(error instanceof Error) || !isCorrupt(error)) throw error;
    return { ok: false, detail: error.message };
  }
}
