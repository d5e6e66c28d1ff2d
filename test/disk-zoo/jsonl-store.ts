import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import {
  CheckpointError,
  isCheckpointError,
  matchesBase,
  newGeneration,
  pageSessions,
  type Change,
  type LogHead,
  type Outcome,
  type RecordStore,
  type SessionInfo,
  type StoredRecord,
} from "../../src/index.ts";
import type { Defects } from "./defects.ts";
import { withLock } from "./locks.ts";
import { appendText, lineOf, readLog, removeFile, replaceFile, type Log } from "./log-file.ts";

/**
 * A small file store that is right as long as `defects` is empty: one file a session, one line a change
 * with its checksum, one lock a session, and a new file for whatever is not an append.
 */
export function jsonlStore(directory: string, defects: Defects = {}): RecordStore {
  let opened = false;
  const open = (): void => {
    if (opened) return;
    if (defects.wantsToCreateTheFolder === true && !fs.existsSync(directory)) {
      // A window as wide as the start of a process.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      fs.mkdirSync(directory);
    }
    fs.mkdirSync(directory, { recursive: true });
    opened = true;
  };
  const pathOf = (id: string): string => {
    open();
    return join(directory, fileNameOf(id, defects));
  };
  const change = <T>(id: string, work: (path: string) => T): Promise<T> =>
    attempt(() => {
      const path = pathOf(id);
      return withLock(`${path}.lock`, defects, () => work(path));
    });

  return {
    capabilities: {
      concurrency: "host",
      durability: "power",
      readIsolation: "snapshot",
      clock: "local",
      limits: { maxEventBytes: 1_048_576, maxBatchEvents: 5_000, maxSessionIdBytes: 512 },
      truncate: true,
      idempotency: true,
    },
    head: (id) => attempt(() => headOf(wholeLog(pathOf(id), defects))),
    commit: (id, one) => change(id, (path) => commit(id, path, one, defects)),
    async *read(id, { sinceSeq, untilSeq, limit, reverse, generation }) {
      const log = await attempt(() => readLog(pathOf(id), defects));
      if (generation !== undefined && log?.generation !== generation) {
        throw new CheckpointError("LOG_CHANGED", "the log was replaced");
      }
      if (reverse && log !== null && log.damage !== null) throw log.damage;
      const within = (log?.records ?? []).filter(({ seq }) => seq > sinceSeq && seq <= untilSeq);
      const page = (reverse ? within.toReversed() : within).slice(
        0,
        Math.min(limit, within.length),
      );
      if (page.length > 0) yield page;
      if (log !== null && log.damage !== null && page.length < limit) throw log.damage;
    },
    list: (page) => attempt(() => pageSessions(sessionsIn(directory, defects), page)),
    delete: (id) => change(id, (path) => removeFile(path, defects)),
    close: () => Promise.resolve(),
  };
}

function commit(
  id: string,
  path: string,
  { base, keep, batches, mtime }: Change,
  defects: Defects,
): Outcome {
  const log = wholeLog(path, defects);
  for (const { key } of batches) {
    const own =
      key === undefined ? [] : (log?.records ?? []).filter((record) => record.key === key);
    const [first] = own;
    if (key !== undefined && first !== undefined) {
      return { duplicate: { key, from: first.seq, to: first.seq + own.length - 1 } };
    }
  }
  if (!matchesBase(headOf(log), base)) return { conflict: headOf(log) };
  const kept = keptOf(log?.records ?? [], keep);
  const cuts = log !== null && kept.length < log.records.length;
  const added = batches
    .flatMap(({ key, records }) => records.map((record) => ({ ...record, key })))
    .map((record, index) => ({ ...record, seq: kept.length + index + 1 }));
  if (added.length === 0 && !cuts) return { head: headOf(log) };
  if (log === null || cuts) {
    const generation = newGeneration();
    replaceFile(path, lineOf({ id, generation, records: [...kept, ...added], mtime }), defects);
    return { head: headOf(readLog(path, defects)) };
  }
  const lines = defects.writesRecordsOneByOne === true ? added.map((one) => [one]) : [added];
  const append = (): void => {
    let { end } = log;
    for (const records of lines) {
      const text = lineOf({ records, mtime });
      appendText(path, end, text, defects);
      end += Buffer.byteLength(text);
    }
  };
  append();
  return {
    head: {
      seq: kept.length + added.length,
      generation: log.generation,
      tail: added.at(-1) ?? null,
    },
  };
}

/** Seq 1 to `keep`; a batch that is cut into loses its key. */
function keptOf(
  records: readonly StoredRecord[],
  keep: number = Infinity,
): readonly StoredRecord[] {
  const dropped = new Set(records.slice(keep).map(({ key }) => key));
  return records.slice(0, keep).map((record) => {
    const { key: _key, ...keyless } = record;
    return dropped.has(record.key) ? keyless : record;
  });
}

function headOf(log: Log | null): LogHead | null {
  if (log === null) return null;
  return { seq: log.records.length, generation: log.generation, tail: log.records.at(-1) ?? null };
}

/** A log that nothing is wrong with. */
function wholeLog(path: string, defects: Defects): Log | null {
  const log = readLog(path, defects);
  if (log !== null && log.damage !== null) throw log.damage;
  return log;
}

function sessionsIn(directory: string, defects: Defects): SessionInfo[] {
  if (!fs.existsSync(directory)) return [];
  return fs.readdirSync(directory).flatMap((name): SessionInfo[] => {
    if (!name.endsWith(".jsonl")) {
      return defects.listsEverything === true ? [{ id: name, head: 0, mtime: 0 }] : [];
    }
    const log = readLog(join(directory, name), defects);
    if (log === null) return [];
    const info = { id: log.id, head: log.records.length, mtime: log.mtime };
    return [log.damage === null ? info : { ...info, damaged: true }];
  });
}

/** The name of a session's file. */
export function fileNameOf(id: string, { joinsIdsToPaths }: Defects): string {
  if (joinsIdsToPaths === true) return `${id}.jsonl`;
  return `${createHash("sha256").update(id).digest("hex").slice(0, 32)}.jsonl`;
}

/** What the file system throws, as the contract has it. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isCheckpointError(error)) throw error;
    throw new CheckpointError("IO_FAILED", "the file system failed", { cause: error });
  }
}
