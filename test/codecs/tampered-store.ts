import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { decodeRecord, encodeRecord } from "../../adapters/file/record-line.ts";
import { fileCheckpointer } from "../../adapters/file/index.ts";
import { memoryStore } from "../../adapters/memory/index.ts";
import { sqliteCheckpointer } from "../../adapters/sqlite/index.ts";
import {
  createCheckpointer,
  type Anchor,
  type Checkpointer,
  type Codec,
  type RecordRange,
  type RecordStore,
  type StoredRecord,
} from "../../src/index.ts";

/** A checkpointer that takes any JSON object. */
export type Handle = Checkpointer<object>;

/** A store whose records a test reads and changes behind the checkpointer's back. */
export interface TamperedStore {
  readonly name: "memory" | "file" | "sqlite";
  /** A handle onto the store; closed by `dispose`. */
  open(codec: Codec | undefined, anchor?: Anchor): Handle;
  /** The records of a session as they are stored. */
  records(sessionId: string): StoredRecord[];
  /** Puts other records in the place of a session's, as somebody does who knows the format. */
  replace(sessionId: string, records: readonly StoredRecord[]): void;
  /** A digest of everything that is stored. */
  fingerprint(): string;
  dispose(): Promise<void>;
}

/** A store in memory, whose reads are those of the records that a test put in place. */
export function tamperedMemory(): TamperedStore {
  const inner = memoryStore();
  const forged = new Map<string, readonly StoredRecord[]>();
  const seen = new Map<string, readonly StoredRecord[]>();
  const store: RecordStore = {
    ...inner,
    async head(sessionId) {
      const head = await inner.head(sessionId);
      const records = forged.get(sessionId);
      if (head === null || records === undefined) return head;
      const tail = records.at(-1) ?? null;
      return { ...head, seq: tail?.seq ?? 0, tail };
    },
    async commit(sessionId, change) {
      forged.delete(sessionId);
      const outcome = await inner.commit(sessionId, change);
      const stored: StoredRecord[] = [];
      for await (const page of inner.read(sessionId, everything)) stored.push(...page);
      seen.set(sessionId, stored);
      return outcome;
    },
    async *read(sessionId, range) {
      const records = forged.get(sessionId);
      if (records === undefined) yield* inner.read(sessionId, range);
      else yield within(records, range);
    },
    close: async () => undefined,
  };
  return {
    name: "memory",
    open: (codec, anchor) => createCheckpointer<object>(store, { codec, anchor }),
    records: (sessionId) => [...(forged.get(sessionId) ?? seen.get(sessionId) ?? [])],
    replace: (sessionId, records) => void forged.set(sessionId, records),
    fingerprint: () => JSON.stringify([...seen, ...forged]),
    dispose: () => inner.close(),
  };
}

const everything: RecordRange = {
  sinceSeq: 0,
  untilSeq: Number.MAX_SAFE_INTEGER,
  limit: Infinity,
  reverse: false,
};

function within(records: readonly StoredRecord[], range: RecordRange): StoredRecord[] {
  const inRange = records.filter(({ seq }) => seq > range.sinceSeq && seq <= range.untilSeq);
  return (range.reverse ? inRange.toReversed() : inRange).slice(0, range.limit);
}

/** A store in files, whose lines get a right checksum whatever they say. */
export function tamperedFiles(): TamperedStore {
  const dir = mkdtempSync(join(tmpdir(), "checkpointer-tampered-"));
  const handles: Handle[] = [];
  const path = (sessionId: string): string => join(dir, `${sessionId}.jsonl`);
  const lines = (sessionId: string): Buffer[] => linesOf(readFileSync(path(sessionId)));
  return {
    name: "file",
    open(codec, anchor) {
      // A lock that lingers would keep a handle from looking at the file again.
      const options = { dir, codec, anchor, durability: "process" as const, lockLingerMs: 0 };
      handles.push(fileCheckpointer<object>(options));
      return handles.at(-1)!;
    },
    records: (sessionId) =>
      lines(sessionId)
        .slice(1)
        .map((line) => {
          const { left: _, ...record } = decodeRecord(line, 0, line.length - 1)!;
          return record;
        }),
    replace(sessionId, records) {
      const header = lines(sessionId)[0]!;
      const forged = records.map((record) => encodeRecord({ ...record, left: 0 }));
      writeFileSync(path(sessionId), Buffer.concat([header, ...forged]));
    },
    fingerprint: () => fingerprintOf(dir),
    async dispose() {
      await Promise.all(handles.map((handle) => handle.close()));
      rmSync(dir, { recursive: true });
    },
  };
}

/** Lines of a file, newlines included. */
export function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0x0a, start) + 1 || bytes.length;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

/** Digest of the names and contents of all files below a directory. */
export function fingerprintOf(directory: string): string {
  const hash = createHash("sha256");
  for (const name of (readdirSync(directory, { recursive: true }) as string[]).sort()) {
    const path = join(directory, name);
    hash.update(`${name}\0`);
    if (statSync(path).isFile()) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

/** A store in a database, changed through a connection of its own. */
export function tamperedDatabase(): TamperedStore {
  const dir = mkdtempSync(join(tmpdir(), "checkpointer-tampered-"));
  const file = join(dir, "sessions.db");
  const handles: Handle[] = [];
  let connection: Database.Database | undefined;
  const connect = (): Database.Database => {
    connection ??= new Database(file);
    connection.pragma("synchronous = OFF");
    return connection;
  };
  return {
    name: "sqlite",
    open(codec, anchor) {
      handles.push(sqliteCheckpointer<object>({ file, codec, anchor }));
      return handles.at(-1)!;
    },
    records: (sessionId) =>
      (connect().prepare(selectSql).all(sessionId) as Row[]).map(({ seq, ts, payload }) => ({
        seq,
        ts: new Date(ts).toISOString(),
        payload,
      })),
    replace(sessionId, records) {
      const database = connect();
      const { id } = database.prepare(sessionSql).get(sessionId) as { id: number };
      const insert = database.prepare(insertSql);
      database.transaction(() => {
        database.prepare("DELETE FROM records WHERE session = ?").run(id);
        for (const { seq, ts, payload } of records) insert.run(id, seq, Date.parse(ts), payload);
      })();
    },
    fingerprint() {
      const rows = ["SELECT * FROM sessions", "SELECT * FROM records"].map((sql) =>
        connect().prepare(sql).raw().all(),
      );
      return JSON.stringify(rows);
    },
    async dispose() {
      await Promise.all(handles.map((handle) => handle.close()));
      connection?.close();
      rmSync(dir, { recursive: true });
    },
  };
}

interface Row {
  readonly seq: number;
  readonly ts: number;
  readonly payload: string | Buffer;
}

const sessionSql = "SELECT id FROM sessions WHERE name = ?";
const selectSql =
  "SELECT seq, ts, payload FROM records WHERE session = (SELECT id FROM sessions WHERE name = ?) " +
  "ORDER BY seq";
const insertSql = "INSERT INTO records (id, ts, payload) VALUES (? << 32 | ?, ?, ?)";
