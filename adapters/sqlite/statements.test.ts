import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createSchemaSql } from "./schema.ts";
import { prepareStatements } from "./statements.ts";

const database = new Database(":memory:");
database.exec(createSchemaSql);

/** How SQLite goes about a statement, a line for each table it touches. */
function planOf(sql: string): string[] {
  const parameters = Array.from({ length: sql.split("?").length - 1 }, () => 1);
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
  return rows.map((row) => (row as { detail: string }).detail);
}

test("every statement finds records by their place and never scans them all", () => {
  const scans: string[] = [];
  for (const [name, statement] of Object.entries(prepareStatements(database))) {
    const { source } = statement as { source: string };
    if (!/^(SELECT|INSERT|UPDATE|DELETE)/.test(source)) continue;
    if (planOf(source).some((line) => /SCAN (records|last|r)\b/.test(line))) scans.push(name);
  }
  expect(scans).toEqual([]);
});

test("the view finds the events of one session through its name", () => {
  expect(planOf("SELECT payload FROM events WHERE session = ?")).toEqual([
    expect.stringMatching(/SEARCH s USING .*INDEX.*\(name=\?\)/),
    expect.stringContaining("SEARCH r USING INTEGER PRIMARY KEY"),
  ]);
});
