import { join } from "node:path";
import { sqliteCheckpointer } from "../../../adapters/sqlite/index.ts";
import { agentEvents } from "../agent-events.ts";
import { openBareDatabase, type BareDatabase } from "../bare-database.ts";
import { appendOneByOne } from "../fill.ts";
import type { Contestant, Workload } from "../workload.ts";

const events = agentEvents(50);
const payloads = events.map((event) => JSON.stringify(event));
const operations = events.length;

/** One append, awaited, beside one bare transaction with the same JSON text. */
export const sqliteAppend: Workload = {
  name: "sqlite-append",
  async prepare(folder) {
    const normal = sqliteCheckpointer({ file: join(folder, "normal.db") });
    const full = sqliteCheckpointer({ file: join(folder, "full.db"), synchronous: "full" });
    const pair = openBareDatabase(join(folder, "pair.db"), "normal", "pair");
    const integer = openBareDatabase(join(folder, "integer.db"), "normal", "integer");
    const stringify = openBareDatabase(join(folder, "stringify.db"), "normal", "integer");
    const pairFull = openBareDatabase(join(folder, "pair-full.db"), "full", "pair");
    return {
      contestants: [
        { name: "normal", operations, run: () => appendOneByOne(normal, "s", events) },
        bare("pair", pair),
        bare("integer", integer),
        {
          name: "stringify",
          operations,
          run() {
            for (const event of events) stringify.insert([JSON.stringify(event)]);
          },
        },
        { name: "full", operations, run: () => appendOneByOne(full, "s", events) },
        bare("pair, full", pairFull),
      ],
      comparisons: [
        {
          what: "SQLite NORMAL, append 1 / bare transaction, keyed by (session, seq)",
          subject: "normal",
          floor: "pair",
          goal: { atMost: 1.05 },
        },
        {
          what: "the same / bare transaction, keyed by one integer",
          subject: "normal",
          floor: "integer",
        },
        {
          what: "the same / JSON.stringify + bare transaction, keyed by one integer",
          subject: "normal",
          floor: "stringify",
        },
        {
          what: "SQLite FULL, append 1 / bare transaction, keyed by (session, seq)",
          subject: "full",
          floor: "pair, full",
        },
      ],
      async close() {
        await normal.close();
        await full.close();
        for (const database of [pair, integer, stringify, pairFull]) database.close();
      },
    };
  },
};

function bare(name: string, database: BareDatabase): Contestant {
  return {
    name,
    operations,
    run() {
      for (const payload of payloads) database.insert([payload]);
    },
  };
}
