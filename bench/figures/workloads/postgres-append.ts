import process from "node:process";
import { postgresCheckpointer } from "../../../adapters/postgres/index.ts";
import { dropSchema } from "../../../cli/certify/postgres-reaches.ts";
import { agentEvents } from "../agent-events.ts";
import { openBarePostgres } from "../bare-postgres.ts";
import { appendOneByOne } from "../fill.ts";
import { findServer } from "../find-server.ts";
import type { Workload } from "../workload.ts";

const writers = 8;
const events = agentEvents(24);
const payloads = events.map((event) => JSON.stringify(event));
const numbers = Array.from({ length: writers }, (_, number) => number);

/** One append, awaited, beside a round trip and a bare insert; and 8 writers beside 8 connections. */
export const postgresAppend: Workload = {
  name: "postgres-append",
  async prepare() {
    const server = await findServer();
    if ("skipped" in server) return server;
    const schema = `figures_${process.pid}`;
    const kit = postgresCheckpointer({ connectionString: server.url, schema });
    const bare = await openBarePostgres(server.url, writers);
    return {
      contestants: [
        {
          name: "kit",
          operations: events.length,
          run: () => appendOneByOne(kit, "s", events),
        },
        {
          name: "round trip",
          operations: events.length,
          async run() {
            for (const _payload of payloads) await bare.ask();
          },
        },
        {
          name: "insert",
          operations: events.length,
          async run() {
            for (const payload of payloads) await bare.insert(payload);
          },
        },
        {
          name: "function",
          operations: events.length,
          async run() {
            for (const payload of payloads) await bare.call(0, payload);
          },
        },
        {
          name: "kit, 8 writers",
          operations: writers * events.length,
          async run() {
            await Promise.all(numbers.map((number) => appendOneByOne(kit, `w${number}`, events)));
          },
        },
        {
          name: "function, 8 writers",
          operations: writers * events.length,
          async run() {
            await Promise.all(
              numbers.map(async (number) => {
                for (const payload of payloads) await bare.call(number, payload);
              }),
            );
          },
        },
      ],
      comparisons: [
        {
          what: "Postgres, append 1 / SELECT 1, prepared",
          subject: "kit",
          floor: "round trip",
          goal: { atMost: 1.3 },
        },
        {
          what: "the same / INSERT into (session, seq, payload), prepared",
          subject: "kit",
          floor: "insert",
        },
        {
          what: "the same / PL/pgSQL that compares the head and inserts",
          subject: "kit",
          floor: "function",
        },
        {
          what: "Postgres, 8 writers on 8 sessions / the same PL/pgSQL on 8 connections",
          subject: "kit, 8 writers",
          floor: "function, 8 writers",
          goal: { atMost: 1.1 },
        },
      ],
      async close() {
        await kit.close();
        await bare.close();
        await dropSchema(server.url, schema);
        await server.stop();
      },
    };
  },
};
