// A naive file store that is correct, and that can be made wrong one step at a time: one JSONL file a
// session, a line a batch, so that a line that is there whole is a batch that is there whole.

import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "./jsonl-lock.ts";
import {
  CheckpointError,
  CorruptLogError,
  matchesBase,
  newGeneration,
  pageSessions,
  type Change,
  type LogHead,
  type Outcome,
  type RecordStore,
  type SessionInfo,
  type StoredRecord,
} from "../../../src/index.ts";

/** What can be made wrong. */
export interface JsonlFaults {
  /** Appends behind a line that has no end. */
  readonly skipTailCheck?: boolean;
  /** Answers before the bytes are written. */
  readonly ackBeforeWrite?: boolean;
  /** Empties the file and writes it anew, in place of a new file that is renamed. */
  readonly truncateInPlace?: boolean;
  readonly noFsync?: boolean;
  /** Reads on behind a line that is damaged. */
  readonly skipBadLines?: boolean;
  /** Takes a damaged line for the end of the log. */
  readonly cutAtFirstBadLine?: boolean;
  readonly ignoreSeqHoles?: boolean;
  readonly swallowWriteErrors?: boolean;
  /** Removes the lock whoever holds it. */
  readonly lockWithoutOwnership?: boolean;
}

interface Line {
  readonly id: string;
  readonly generation: string;
  readonly mtime: number;
  /** Seq before the batch. */
  readonly from: number;
  readonly records: ReadonlyArray<{
    readonly ts: string;
    readonly payload: string;
    readonly key?: string | undefined;
  }>;
}

interface Log {
  readonly lines: readonly Line[];
  readonly records: readonly StoredRecord[];
  /** Bytes of whole lines; what is behind them was never acknowledged. */
  readonly length: number;
}

/** A store of plain records in `directory`, for handles in any process of one machine. */
export function jsonlStore(directory: string, faults: JsonlFaults = {}): RecordStore {
  const pathOf = (sessionId: string): string =>
    join(directory, `${createHash("sha256").update(sessionId).digest("hex")}.jsonl`);

  async function load(sessionId: string, path: string): Promise<Log | null> {
    const text = await readFile(path, "utf8").catch(ifMissing);
    if (text === null) return null;
    const length = text.lastIndexOf("\n") + 1;
    const lines: Line[] = [];
    for (const part of text.slice(0, length).split("\n").slice(0, -1)) {
      const line = parseLine(part);
      const last = lines.at(-1);
      const next = last === undefined ? 0 : last.from + last.records.length;
      if (line !== null && (line.from === next || faults.ignoreSeqHoles === true)) lines.push(line);
      else if (faults.cutAtFirstBadLine === true) break;
      else if (faults.skipBadLines !== true) {
        throw new CorruptLogError(sessionId, next + 1, null, "a line is damaged");
      }
    }
    if (lines.length === 0) return null;
    const records = lines.flatMap(({ from, records: own }) =>
      own.map((record, index) => ({ seq: from + index + 1, ...record })),
    );
    return { lines, records, length: Buffer.byteLength(text.slice(0, length)) };
  }

  async function appendLine(path: string, line: Line, length: number): Promise<void> {
    const file = await open(path, constants.O_CREAT | constants.O_RDWR | constants.O_APPEND, 0o600);
    try {
      if (faults.skipTailCheck !== true) await file.truncate(length);
      await file.appendFile(`${JSON.stringify(line)}\n`);
      if (faults.noFsync !== true) await file.sync();
    } finally {
      await file.close();
    }
    await syncDirectory();
  }

  async function replace(path: string, lines: readonly Line[]): Promise<void> {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const target =
      faults.truncateInPlace === true ? path : `${path}.${randomBytes(4).toString("hex")}.tmp`;
    const file = await open(target, "w", 0o600);
    try {
      await file.writeFile(text);
      if (faults.noFsync !== true) await file.sync();
    } finally {
      await file.close();
    }
    if (target !== path) await rename(target, path);
    await syncDirectory();
  }

  async function syncDirectory(): Promise<void> {
    if (faults.noFsync === true) return;
    const folder = await open(directory, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async function change(sessionId: string, wanted: Change): Promise<Outcome> {
    const path = pathOf(sessionId);
    const log = await load(sessionId, path);
    for (const { key } of wanted.batches) {
      const known = key === undefined ? [] : (log?.records.filter((one) => one.key === key) ?? []);
      if (key !== undefined && known.length > 0) {
        return { duplicate: { key, from: known[0]!.seq, to: known.at(-1)!.seq } };
      }
    }
    const head = headOf(log);
    if (!matchesBase(head, wanted.base)) return { conflict: head };
    const lines = linesAfter(sessionId, log, wanted);
    if (lines === null) return { head };
    const kept = log?.lines ?? [];
    const [added] = lines.slice(kept.length);
    const appends = lines.length === kept.length + 1 && kept.every((line, n) => line === lines[n]);
    const write = async (): Promise<void> => {
      if (appends && added !== undefined) await appendLine(path, added, log?.length ?? 0);
      else await replace(path, lines);
    };
    const written = write().catch((error: unknown) => {
      if (faults.swallowWriteErrors !== true) throw ioFailed(error);
    });
    if (faults.ackBeforeWrite === true) written.catch(() => undefined);
    else await written;
    const last = lines.at(-1)!;
    const seq = last.from + last.records.length;
    const tail = last.records.at(-1);
    return { head: { seq, generation: last.generation, tail: tail ? { seq, ...tail } : null } };
  }

  async function locked<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw ioFailed(error);
    });
    return withLock(`${pathOf(sessionId)}.lock`, faults.lockWithoutOwnership === true, work);
  }

  return {
    capabilities: {
      concurrency: "host",
      durability: "power",
      readIsolation: "snapshot",
      clock: "local",
      limits: { maxEventBytes: 2_097_152, maxBatchEvents: 5_000, maxSessionIdBytes: 512 },
      truncate: true,
      idempotency: true,
    },
    head: async (sessionId) => headOf(await load(sessionId, pathOf(sessionId))),
    commit: (sessionId, wanted) => locked(sessionId, () => change(sessionId, wanted)),
    async *read(sessionId, { sinceSeq, untilSeq, limit, reverse, generation }) {
      const log = await load(sessionId, pathOf(sessionId));
      if (log === null) return;
      if (generation !== undefined && generation !== log.lines.at(-1)?.generation) {
        throw new CheckpointError("LOG_CHANGED", "Cannot read: the log was replaced");
      }
      const inside = log.records.filter(({ seq }) => seq > sinceSeq && seq <= untilSeq);
      const page = (reverse ? inside.toReversed() : inside).slice(0, limit);
      if (page.length > 0) yield page;
    },
    async list(page) {
      const sessions: SessionInfo[] = [];
      for (const name of (await readdir(directory).catch(ifMissing)) ?? []) {
        if (!name.endsWith(".jsonl")) continue;
        const log = await load(name, join(directory, name));
        const last = log?.lines.at(-1);
        if (last !== undefined)
          sessions.push({ id: last.id, mtime: last.mtime, head: log?.records.length ?? 0 });
      }
      return pageSessions(sessions, page);
    },
    delete: (sessionId) =>
      locked(sessionId, async () => {
        await rm(pathOf(sessionId), { force: true });
        await syncDirectory();
      }),
    close: async () => {},
  };
}

/** The lines after a change; null when it changes nothing. */
function linesAfter(id: string, log: Log | null, { keep, batches, mtime }: Change): Line[] | null {
  const head = headOf(log);
  const cuts = head !== null && keep !== undefined && keep < head.seq;
  if (!cuts && batches.length === 0) return null;
  const generation = head === null || cuts ? newGeneration() : head.generation;
  const lines = cuts ? [cutLine(id, log, keep, generation, mtime)] : [...(log?.lines ?? [])];
  for (const { key, records } of batches) {
    const last = lines.at(-1);
    const from = last === undefined ? 0 : last.from + last.records.length;
    const own = records.map(({ ts, payload }) => ({ ts, payload: payload as string, key }));
    lines.push({ id, generation, mtime, from, records: own });
  }
  return lines;
}

/** What is left of a log, as one line. A batch that is cut into loses its key. */
function cutLine(
  id: string,
  log: Log | null,
  keep: number,
  generation: string,
  mtime: number,
): Line {
  const records = log?.records ?? [];
  const lost = new Set(records.slice(keep).map(({ key }) => key));
  const kept = records.slice(0, keep).map(({ ts, payload, key }) => ({
    ts,
    payload: payload as string,
    key: lost.has(key) ? undefined : key,
  }));
  return { id, generation, mtime, from: 0, records: kept };
}

function headOf(log: Log | null): LogHead | null {
  const last = log?.lines.at(-1);
  if (log === null || last === undefined) return null;
  const { generation } = last;
  return { seq: log.records.length, generation, tail: log.records.at(-1) ?? null };
}

function parseLine(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Partial<Line> | null;
    return Array.isArray(line?.records) && typeof line?.from === "number" ? (line as Line) : null;
  } catch {
    return null;
  }
}

function ifMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  throw ioFailed(error);
}

function ioFailed(error: unknown): CheckpointError {
  const { code = "unknown" } = error as NodeJS.ErrnoException;
  return new CheckpointError("IO_FAILED", `Cannot use the store: ${code}`, { cause: error });
}
