import { join } from "node:path";
import process from "node:process";
import { fileCheckpointer } from "../../../adapters/file/index.ts";
import { memoryCheckpointer } from "../../../adapters/memory/index.ts";
import { postgresCheckpointer } from "../../../adapters/postgres/index.ts";
import { sqliteCheckpointer } from "../../../adapters/sqlite/index.ts";
import { dropSchema } from "../../../cli/certify/postgres-reaches.ts";
import type { Checkpointer, SessionEvent } from "../../../src/index.ts";
import { agentEvents } from "../agent-events.ts";
import { appendOneByOne, fill } from "../fill.ts";
import { findServer } from "../find-server.ts";
import type { Prepared, Workload } from "../workload.ts";

interface Length {
  readonly name: string;
  readonly events: number;
}

/** Logs of these lengths must cost the same per append. */
const lengths: readonly Length[] = [
  { name: "1k", events: 1_000 },
  { name: "10k", events: 10_000 },
  { name: "100k", events: 100_000 },
];

/** Behind a short log a run must not make it a long one; memory is fast, and can be put back. */
const few = agentEvents(20);
const many = agentEvents(500);

interface Subject {
  readonly adapter: string;
  /** One store a length, so that they differ in nothing else. */
  readonly open: (name: string) => Checkpointer;
  readonly events: readonly SessionEvent[];
  readonly isResettable?: boolean;
  /** Takes away where the stores were. */
  readonly release?: () => Promise<void>;
}

// Nothing here syncs, since a sync would drown what is looked for.

/** Appends to a long log cost what they cost on a short one: in memory. */
export const memoryGrowth: Workload = {
  name: "memory-growth",
  prepare: () =>
    prepare({
      adapter: "memory",
      open: () => memoryCheckpointer(),
      events: many,
      isResettable: true,
    }),
};

/** The same in files. A turn is short, and would mostly show what taking the lock again costs. */
export const fileGrowth: Workload = {
  name: "file-growth",
  prepare: (folder) =>
    prepare({
      adapter: "file process",
      open: (name) =>
        fileCheckpointer({
          dir: join(folder, name),
          durability: "process",
          lockLingerMs: 60_000,
        }),
      events: few,
    }),
};

/** The same in SQLite. */
export const sqliteGrowth: Workload = {
  name: "sqlite-growth",
  prepare: (folder) =>
    prepare({
      adapter: "SQLite NORMAL",
      open: (name) => sqliteCheckpointer({ file: join(folder, `${name}.db`) }),
      events: few,
    }),
};

/** The same in Postgres, each length in a schema of its own. */
export const postgresGrowth: Workload = {
  name: "postgres-growth",
  async prepare() {
    const server = await findServer();
    if ("skipped" in server) return server;
    const { url: connectionString } = server;
    const schemaOf = (name: string): string => `figures_${process.pid}_${name}`;
    return prepare({
      adapter: "Postgres",
      open: (name) => postgresCheckpointer({ connectionString, schema: schemaOf(name) }),
      events: few,
      async release() {
        for (const { name } of lengths) await dropSchema(connectionString, schemaOf(name));
        await server.stop();
      },
    });
  },
};

async function prepare(subject: Subject): Promise<Prepared> {
  const { adapter, open, events, isResettable = false, release } = subject;
  const logs = lengths.map((length) => ({ length, store: open(length.name) }));
  for (const { length, store } of logs) await fill(store, "s", length.events);
  return {
    contestants: logs.map(({ length, store }) => ({
      name: length.name,
      operations: events.length,
      run: () => appendOneByOne(store, "s", events),
      ...(isResettable ? { reset: () => cutBack(store, length) } : {}),
    })),
    comparisons: ["10k", "100k"].map((name) => ({
      what: `${adapter}, append 1 behind ${name} events / behind 1k`,
      subject: name,
      floor: "1k",
      goal: { atMost: 1.2 },
    })),
    async close() {
      for (const { store } of logs) await store.close();
      await release?.();
    },
  };
}

/** One event more than before, so that the array has its room to grow before the clock runs. */
async function cutBack(store: Checkpointer, { events }: Length): Promise<void> {
  await store.truncate("s", events);
  await store.append("s", few.slice(0, 1));
}
