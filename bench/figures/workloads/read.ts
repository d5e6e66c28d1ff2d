import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileCheckpointer } from "../../../adapters/file/index.ts";
import { memoryCheckpointer } from "../../../adapters/memory/index.ts";
import { sqliteCheckpointer } from "../../../adapters/sqlite/index.ts";
import type { Checkpointer } from "../../../src/index.ts";
import { agentEvents } from "../agent-events.ts";
import { openBareDatabase } from "../bare-database.ts";
import { fill } from "../fill.ts";
import type { Contestant, Workload } from "../workload.ts";

const size = 10_000;

/** A session of 10,000 events from the first to the last, beside reading the same bytes bare. */
export const read: Workload = {
  name: "read",
  async prepare(folder) {
    const memory = memoryCheckpointer();
    const file = fileCheckpointer({ dir: join(folder, "file"), durability: "process" });
    const sqlite = sqliteCheckpointer({ file: join(folder, "a.db") });
    for (const store of [memory, file, sqlite]) await fill(store, "s", size);
    const bare = openBareDatabase(join(folder, "bare.db"), "normal", "integer");
    for (const event of agentEvents(size)) bare.insert([JSON.stringify(event)]);
    const log = join(folder, "file", "s.jsonl");
    return {
      contestants: [
        reader("memory", memory),
        reader("file", file),
        {
          name: "bare file",
          operations: size,
          run() {
            let parsed = 0;
            for (const line of readFileSync(log, "utf8").split("\n")) {
              if (line === "") continue;
              JSON.parse(line);
              parsed += 1;
            }
            requireCount(parsed, size + 1);
          },
        },
        reader("SQLite", sqlite),
        {
          name: "bare SQLite",
          operations: size,
          run() {
            let parsed = 0;
            for (const payload of bare.payloads(1)) {
              JSON.parse(payload);
              parsed += 1;
            }
            requireCount(parsed, size);
          },
        },
      ],
      comparisons: [
        {
          what: "file, read 10k events, per event / read + split + JSON.parse",
          subject: "file",
          floor: "bare file",
          goal: { atMost: 1.3 },
        },
        {
          what: "SQLite, read 10k events, per event / iterate + JSON.parse",
          subject: "SQLite",
          floor: "bare SQLite",
          goal: { atMost: 1.1 },
        },
        { what: "memory, read 10k events, per event", subject: "memory" },
      ],
      async close() {
        bare.close();
        for (const store of [memory, file, sqlite]) await store.close();
      },
    };
  },
};

function reader(name: string, store: Checkpointer): Contestant {
  return {
    name,
    operations: size,
    async run() {
      let taken = 0;
      for await (const _stored of store.read("s")) taken += 1;
      requireCount(taken, size);
    },
  };
}

function requireCount(met: number, expected: number): void {
  if (met !== expected) throw new Error(`Read ${met} of ${expected}`);
}
