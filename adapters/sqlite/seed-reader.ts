import type { Database } from "better-sqlite3";
import { CorruptLogError, quote } from "../../src/index.ts";
import { retryWhileBusy } from "./back-off.ts";
import { loadDriver } from "./load-driver.ts";
import { detectSeedLayout, type SeedLayout } from "./seed-layout.ts";
import { wrapError } from "./sqlite-errors.ts";

/** Reads a database of the seed and changes nothing in it. */
export interface SeedReader {
  /** Ids of the sessions that have events, the one that changed first before all others. */
  sessions(): Promise<string[]>;
  /** The events of a session in order, some at a time. */
  events(sessionId: string): AsyncGenerator<object[], void, void>;
  close(): void;
}

/** A page ends with the event that reaches one of these. */
const pageEvents = 100;
const pageSize = 1024 * 1024;

const busyTimeoutMs = 5_000;

/**
 * Opens a database of the seed for reading.
 *
 * @throws CheckpointError `UNSUPPORTED_FORMAT` when it is none
 */
export async function openSeed(file: string): Promise<SeedReader> {
  const open = loadDriver();
  const attempt = async <T>(action: string, work: () => T, sessionId?: string): Promise<T> => {
    try {
      return await retryWhileBusy(work, busyTimeoutMs);
    } catch (error) {
      throw wrapError(`${action} ${quote(file)}`, error, sessionId);
    }
  };
  const database = await attempt("open", () =>
    open(file, { readonly: true, fileMustExist: true, timeout: 0 }),
  );
  try {
    const layout = await attempt("read", () => detectSeedLayout(database, file));
    const readPage = prepareEvents(database, layout);
    return {
      sessions: () => attempt("read", () => listSessions(database, layout)),
      async *events(sessionId) {
        for (let since = 0; ;) {
          const page = await attempt("read", () => readPage(sessionId, since), sessionId);
          if (page.length === 0) return;
          yield page;
          since += page.length;
        }
      },
      close: () => void database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function listSessions(database: Database, { session, order }: SeedLayout): string[] {
  const when =
    order === null
      ? "NULL"
      : `(SELECT ${order.changed} FROM sessions s
    WHERE s.${order.id} = e.${session})`;
  const sql = `SELECT DISTINCT ${session} AS id FROM events e ORDER BY ${when}, id`;
  return database.prepare<[], string>(sql).pluck().all();
}

function prepareEvents(
  database: Database,
  { session, seq, event }: SeedLayout,
): (sessionId: string, since: number) => object[] {
  const select = database
    .prepare<[string, number, number], [number, unknown]>(
      `SELECT ${seq}, ${event} FROM events WHERE ${session} = ? AND ${seq} > ?
        ORDER BY ${seq} LIMIT ?`,
    )
    .raw();
  return (sessionId, since) => {
    const page: object[] = [];
    let size = 0;
    for (const [found, text] of select.iterate(sessionId, since, pageEvents)) {
      const wanted = since + page.length + 1;
      if (found !== wanted) throw corrupt(sessionId, wanted, `expected it, found seq ${found}`);
      page.push(parseEvent(sessionId, wanted, text));
      size += (text as string).length;
      if (size >= pageSize) break;
    }
    return page;
  };
}

function parseEvent(sessionId: string, seq: number, text: unknown): object {
  if (typeof text !== "string") throw corrupt(sessionId, seq, "its event is not text");
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which does not belong into an error.
    throw corrupt(sessionId, seq, "its event is not JSON");
  }
  if (typeof event === "object" && event !== null && !Array.isArray(event)) return event;
  throw corrupt(sessionId, seq, "its event is not an object");
}

function corrupt(sessionId: string, seq: number, detail: string): CorruptLogError {
  return new CorruptLogError(sessionId, seq, null, detail);
}
