import { join } from "node:path";
import { sqliteCheckpointer } from "../../../adapters/sqlite/index.ts";
import { agentEvents } from "../agent-events.ts";
import { openBareDatabase, type BareDatabase } from "../bare-database.ts";
import { appendOneByOne } from "../fill.ts";
import type { Contestant, Workload } from "../workload.ts";

const appenders = 64;
const appendsEach = 10;
const events = agentEvents(appenders);
const payloads = events.map((event) => JSON.stringify(event));

/** 64 loops of awaited appends, each to a session of its own, beside transactions of 64 inserts. */
export const sqliteManySessions: Workload = {
  name: "sqlite-many-sessions",
  async prepare(folder) {
    const store = sqliteCheckpointer({ file: join(folder, "a.db"), synchronous: "full" });
    const pair = openBareDatabase(join(folder, "pair.db"), "full", "pair");
    const integer = openBareDatabase(join(folder, "integer.db"), "full", "integer");
    const single = openBareDatabase(join(folder, "single.db"), "full", "pair");
    return {
      contestants: [
        {
          name: "kit",
          operations: appenders * appendsEach,
          async run() {
            const own = events.map((event) => Array.from({ length: appendsEach }, () => event));
            await Promise.all(own.map((list, index) => appendOneByOne(store, `s${index}`, list)));
          },
        },
        together("pair", pair),
        together("integer", integer),
        {
          name: "one by one",
          operations: appenders,
          run() {
            for (const payload of payloads) single.insert([payload]);
          },
        },
      ],
      comparisons: [
        {
          what: "SQLite FULL, 64 appenders on 64 sessions / bare transaction of 64 inserts, (session, seq)",
          subject: "kit",
          floor: "pair",
          goal: { atMost: 1.25 },
        },
        {
          what: "the same / bare transaction of 64 inserts, one integer",
          subject: "kit",
          floor: "integer",
        },
        {
          what: "the same / bare transactions one by one",
          subject: "kit",
          floor: "one by one",
        },
      ],
      async close() {
        await store.close();
        for (const database of [pair, integer, single]) database.close();
      },
    };
  },
};

function together(name: string, database: BareDatabase): Contestant {
  return {
    name,
    operations: appenders * appendsEach,
    run() {
      for (let round = 0; round < appendsEach; round += 1) database.insert(payloads);
    },
  };
}
