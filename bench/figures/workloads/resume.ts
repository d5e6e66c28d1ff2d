import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileCheckpointer } from "../../../adapters/file/index.ts";
import { sqliteCheckpointer } from "../../../adapters/sqlite/index.ts";
import type { Checkpointer, StoredEvent } from "../../../src/index.ts";
import { agentEvents } from "../agent-events.ts";
import { openBareDatabase } from "../bare-database.ts";
import { fill } from "../fill.ts";
import type { Comparison, Contestant, Workload } from "../workload.ts";

const wanted = 50;
const small = 1_000;
const large = 100_000;
const repeats = 5;

/** The last 50 events of a short and of a long session, beside parsing the long one whole. */
export const resume: Workload = {
  name: "resume",
  async prepare(folder) {
    const file = fileCheckpointer({ dir: join(folder, "file"), durability: "process" });
    const sqlite = sqliteCheckpointer({ file: join(folder, "a.db") });
    for (const store of [file, sqlite]) {
      await fill(store, "small", small);
      await fill(store, "large", large);
    }
    const bare = openBareDatabase(join(folder, "bare.db"), "normal", "integer");
    for (const event of agentEvents(large)) bare.insert([JSON.stringify(event)]);
    return {
      contestants: [
        ...readers("file", file),
        { name: "file parsed whole", operations: 1, run: () => parseFile(folder) },
        ...readers("SQLite", sqlite),
        {
          name: "SQLite parsed whole",
          operations: 1,
          run() {
            let parsed = 0;
            for (const payload of bare.payloads(1)) {
              JSON.parse(payload);
              parsed += 1;
            }
            if (parsed !== large) throw new Error(`Read ${parsed} of ${large}`);
          },
        },
      ],
      comparisons: [...comparisons("file"), ...comparisons("SQLite")],
      async close() {
        bare.close();
        await file.close();
        await sqlite.close();
      },
    };
  },
};

function readers(adapter: string, store: Checkpointer): Contestant[] {
  return ["small", "large"].flatMap((session) => [
    contestant(`${adapter} ${session} reverse`, () =>
      count(store.read(session, { reverse: true, limit: wanted })),
    ),
    contestant(`${adapter} ${session} since`, async () => {
      const head = await store.head(session);
      return count(store.read(session, { sinceSeq: head - wanted }));
    }),
  ]);
}

function contestant(name: string, read: () => Promise<number>): Contestant {
  return {
    name,
    operations: repeats,
    async run() {
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        if ((await read()) !== wanted) throw new Error(`${name} did not read ${wanted} events`);
      }
    },
  };
}

async function count(events: AsyncIterable<StoredEvent>): Promise<number> {
  let total = 0;
  for await (const _stored of events) total += 1;
  return total;
}

function parseFile(folder: string): void {
  const lines = readFileSync(join(folder, "file", "large.jsonl"), "utf8").split("\n");
  const events = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as unknown);
  if (events.length !== large + 1) throw new Error(`Read ${events.length} lines`);
}

function comparisons(adapter: string): Comparison[] {
  const last50 = `${adapter}, last ${wanted}`;
  return [
    {
      what: `${last50} of 100k / of 1k (newest first, limit)`,
      subject: `${adapter} large reverse`,
      floor: `${adapter} small reverse`,
      goal: { atMost: 2 },
    },
    {
      what: `${last50} of 100k / of 1k (head, then sinceSeq)`,
      subject: `${adapter} large since`,
      floor: `${adapter} small since`,
      goal: { atMost: 2 },
    },
    {
      what: `${last50} of 100k: times faster than parsing all (newest first)`,
      subject: `${adapter} large reverse`,
      floor: `${adapter} parsed whole`,
      goal: { atLeast: 50 },
    },
    {
      what: `${last50} of 100k: times faster than parsing all (sinceSeq)`,
      subject: `${adapter} large since`,
      floor: `${adapter} parsed whole`,
      goal: { atLeast: 50 },
    },
  ];
}
