import { type RecordRange, type StoredRecord } from "../../src/index.ts";
import type { Database, Row } from "./database.ts";
import { logChanged } from "./postgres-errors.ts";
import type { Schema } from "./prepare-schema.ts";
import type { Statements } from "./statements.ts";
import { missingRecord, toInteger, toStoredRecord } from "./stored-record.ts";

/** A page ends with this many records, or with as much in large ones. */
const pageRecords = 256;
const pageSize = 1024 * 1024;

/** What is left to read of one history; seqs above `since` up to `until`. */
interface View {
  readonly generation: string;
  readonly since: number;
  readonly until: number;
}

interface Page {
  readonly generation: string;
  readonly head: number;
  readonly records: StoredRecord[];
  /** What stands where the next record should be. */
  readonly damage: Error | undefined;
}

/**
 * Reads pages by key, each in one statement that tells the history it belongs to. Between two pages
 * no connection and no transaction is held, so any number of slow readers share a pool of one, and
 * none keeps the server from clearing away old rows.
 */
export async function* readPages(
  database: Database,
  schema: Schema,
  statements: Statements,
  sessionId: string,
  range: RecordRange,
): AsyncGenerator<readonly StoredRecord[], void, void> {
  const { reverse } = range;
  if (!(await schema.exists())) {
    if ((range.generation ?? "") !== "") throw logChanged(sessionId);
    return;
  }
  const first = await readPage(range.sinceSeq, range.untilSeq, range.limit);
  if (range.generation !== undefined && range.generation !== (first?.generation ?? "")) {
    throw logChanged(sessionId);
  }
  if (first === null) return;
  let page: Page | null = first;
  let view = fixView(first, range);
  while (true) {
    if (page === null || page.generation !== view.generation) throw logChanged(sessionId);
    const { records, damage } = page;
    if (records.length > 0) yield records;
    if (damage !== undefined) throw damage;
    view = reverse
      ? { ...view, until: view.until - records.length }
      : { ...view, since: view.since + records.length };
    const left = view.until - view.since;
    if (left <= 0) return;
    page = await readPage(view.since, view.until, left);
  }

  /** null when the session is absent. */
  async function readPage(since: number, until: number, limit: number): Promise<Page | null> {
    const count = Math.min(limit, pageRecords);
    const statement = reverse ? statements.backward : statements.forward;
    const values = [sessionId, String(since), String(until), String(count), String(pageSize)];
    const rows = await database.persist("read", () => database.run(statement, values), {
      sessionId,
      isRepeatable: true,
    });
    const [row] = rows;
    if (row === undefined) return null;
    const head = toInteger(row[1]);
    const start = reverse ? Math.min(until, head) : since + 1;
    const isEmpty = reverse ? start <= since : start > Math.min(until, head) || limit === 0;
    const content = isEmpty
      ? { records: [], damage: undefined }
      : collect(sessionId, rows, start, reverse);
    return { generation: String(row[0]), head, ...content };
  }
}

/** Turns a range into plain bounds; seqs are dense, so a limit is a bound too. */
function fixView({ generation, head }: Page, range: RecordRange): View {
  const { sinceSeq, limit, reverse } = range;
  const until = Math.min(range.untilSeq, head);
  return reverse
    ? { generation, since: Math.max(sinceSeq, until - limit), until }
    : { generation, since: sinceSeq, until: Math.min(until, sinceSeq + limit) };
}

/** Records as far as they are dense and sound; what came before damage is delivered first. */
function collect(
  sessionId: string,
  rows: readonly Row[],
  start: number,
  reverse: boolean,
): Pick<Page, "records" | "damage"> {
  const records: StoredRecord[] = [];
  let next = start;
  try {
    for (const row of rows) {
      const record = toStoredRecord(sessionId, row.slice(2));
      if (record?.seq !== next) return { records, damage: missingRecord(sessionId, next) };
      records.push(record);
      next += reverse ? -1 : 1;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { records, damage: error };
  }
  return { records, damage: undefined };
}
