import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fixture } from "../../conformance/fixture.ts";
import type { EventObject } from "../../src/index.ts";
import type { Counter, CounterName, CounterSet } from "../bench-report.ts";
import type { PortCounts } from "../processes/messages.ts";
import { startBenchProcess, type BenchProcess } from "../processes/start-bench-process.ts";
import { readTrace, traceCommand, traceRefusal, type TracedCalls } from "./trace-calls.ts";

/** Batches whose cost is counted, in events. */
const batches = [1, 10, 100];
/** Appends of each, enough that what happens now and then has its share. */
const appends = 50;
/** Appends that come first, while caches fill and files are made. */
const warmUp = 20;
const sessionId = "counted";

/**
 * Counts what a store does for an append, in a process of its own: calls into the file system by strace
 * where it can be had and by hooks in `node:fs` otherwise, statements and round trips by hooks in the
 * drivers.
 */
export async function countAppends(
  subject: string,
  fixture: Fixture,
  events: readonly EventObject[],
): Promise<readonly CounterSet[]> {
  const refusal = fixture.directory === undefined ? "no directory" : traceRefusal();
  const folder = await mkdtemp(join(tmpdir(), "ckpt-bench-"));
  const trace = join(folder, "trace");
  try {
    const through = refusal === null ? traceCommand(trace) : [];
    const child = await startBenchProcess(fixture, events, through);
    const counted = new Map<number, PortCounts>();
    try {
      await appendAll(child, counted);
    } finally {
      await child.end();
    }
    const traced =
      refusal === null && fixture.directory !== undefined
        ? readTrace(await readFile(trace, "utf8"), fixture.directory)
        : null;
    const onDisk = await measureDisk(fixture, events);
    return batches.map((batch) => ({
      subject,
      batch,
      countedBy: traced === null ? `node:fs and drivers (${refusal})` : "strace and drivers",
      counters: countersOf({
        counted: counted.get(batch),
        traced: traced?.get(String(batch)),
        seesFiles: fixture.storage !== "engine",
        onDisk: batch === 1 ? onDisk : null,
      }),
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function appendAll(child: BenchProcess, counted: Map<number, PortCounts>): Promise<void> {
  await child.ask({ do: "append", sessionId, batch: 1, appends: warmUp });
  for (const batch of batches) {
    await child.ask({ do: "count" });
    await child.ask({ do: "mark", name: String(batch) });
    await child.ask({ do: "append", sessionId, batch, appends });
    await child.ask({ do: "mark", name: "between" });
    counted.set(batch, (await child.ask({ do: "count" })) as PortCounts);
  }
}

interface Sources {
  readonly counted: PortCounts | undefined;
  readonly traced: TracedCalls | undefined;
  /** Whether what is seen of files in the process itself is everything. */
  readonly seesFiles: boolean;
  readonly onDisk: DiskUse | null;
}

function countersOf({ counted, traced, seesFiles, onDisk }: Sources): readonly Counter[] {
  const calls = counted?.calls ?? {};
  const sum = (names: readonly string[]): number =>
    names.reduce((total, name) => total + (calls[name] ?? 0), 0);
  const others = Object.keys(calls).filter((name) => !known.has(name));
  const files: TracedCalls | null =
    traced ??
    (seesFiles
      ? {
          syncs: sum(syncNames),
          writes: sum(writeNames),
          writtenBytes: counted?.writtenBytes ?? 0,
          others: sum(others),
        }
      : null);
  const perAppend = (value: number | undefined): number | null =>
    value === undefined ? null : value / appends;
  const values: Readonly<Record<CounterName, number | null>> = {
    syncs: perAppend(files?.syncs),
    writes: perAppend(files?.writes),
    writtenBytes: perAppend(files?.writtenBytes),
    otherFileCalls: perAppend(files?.others),
    statements: perAppend(calls["statement"] ?? 0),
    transactions: perAppend(calls["transaction"] ?? 0),
    roundTrips: perAppend(calls["roundTrip"] ?? 0),
    diskBytesPerEvent: onDisk?.bytesPerEvent ?? null,
    filesPerSession: onDisk?.filesPerSession ?? null,
  };
  return Object.entries(values).map(([name, value]) => ({ name: name as CounterName, value }));
}

const syncNames = ["fsync", "fdatasync"];
const writeNames = ["write", "writev", "writeFile", "appendFile"];
/** Not a change of the file system, or counted by itself. */
const known = new Set([
  ...syncNames,
  ...writeNames,
  "open",
  "close",
  "statement",
  "transaction",
  "roundTrip",
]);

interface DiskUse {
  readonly bytesPerEvent: number;
  readonly filesPerSession: number;
}

/** What sessions take on disk when no handle is open. */
async function measureDisk(
  fixture: Fixture,
  events: readonly EventObject[],
): Promise<DiskUse | null> {
  const { directory } = fixture;
  if (directory === undefined) return null;
  const before = await diskUse(directory);
  const sessions = 20;
  const perSession = 50;
  const handle = await fixture.open();
  for (let session = 0; session < sessions; session += 1) {
    const from = (session * perSession) % (events.length - perSession);
    await handle.append(`disk-${session}`, events.slice(from, from + perSession));
  }
  await (handle as { close?: () => Promise<void> }).close?.();
  const after = await diskUse(directory);
  return {
    bytesPerEvent: (after.bytes - before.bytes) / (sessions * perSession),
    filesPerSession: (after.files - before.files) / sessions,
  };
}

async function diskUse(
  directory: string,
): Promise<{ readonly bytes: number; readonly files: number }> {
  let bytes = 0;
  let files = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += (await stat(join(entry.parentPath, entry.name))).size;
    files += 1;
  }
  return { bytes, files };
}
