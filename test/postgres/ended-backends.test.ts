// An administrator, or a balancer, that ends the backends of writers again and again.

import { randomUUID } from "node:crypto";
import process from "node:process";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { postgresCheckpointer } from "../../adapters/postgres/index.ts";
import { dropSchema } from "../../cli/certify/postgres-reaches.ts";
import type { EventObject } from "../../src/index.ts";

const server = process.env["PG_TEST_URL"] ?? "";

/** Backends to end; `npm run soak` has more. */
const wanted = Number(process.env["ENDED_BACKENDS"] ?? "200");

const clients = [1, 2, 3, 4];
const batch = [1, 2, 3];

/** Ends every backend of a name; how many there were, and how many of them were at work. */
const ending = `WITH ended AS MATERIALIZED (
    SELECT state, pg_terminate_backend(pid) AS done FROM pg_stat_activity WHERE application_name = $1)
  SELECT count(*)::int AS ended, count(*) FILTER (WHERE state = 'active')::int AS active
  FROM ended WHERE done`;

test.skipIf(server === "")(
  "what is acknowledged is stored once and whole although backends are ended all the time",
  async () => {
    const name = `ended_${randomUUID().slice(0, 8)}`;
    const admin = new pg.Client({ connectionString: server });
    await admin.connect();
    const url = new URL(server);
    url.searchParams.set("application_name", name);
    const options = { connectionString: url.href, schema: name, maxConnections: 4 };
    const checkpointer = postgresCheckpointer<EventObject>(options);
    onTestFinished(async () => {
      await checkpointer.close();
      await admin.end();
      await dropSchema(server, name);
    });
    await checkpointer.append("s", [{}]);

    const acknowledged: string[] = [];
    const total = { ended: 0, active: 0 };
    let isDone = false;
    const append = async (client: number): Promise<void> => {
      for (let round = 1; !isDone; round += 1) {
        const label = `${client}/${round}`;
        await checkpointer.append(
          client % 2 === 0 ? "s" : `s${client}`,
          batch.map((part) => ({ label, part })),
        );
        acknowledged.push(label);
      }
    };
    const working = Promise.all(clients.map(append));
    const end = async (): Promise<void> => {
      while (total.ended < wanted) {
        const { rows } = await admin.query<{ ended: number; active: number }>(ending, [name]);
        total.ended += rows[0]?.ended ?? 0;
        total.active += rows[0]?.active ?? 0;
      }
    };
    await Promise.race([working, end()]);
    isDone = true;
    await working;

    const stored: string[] = [];
    for (const { id } of await checkpointer.list()) {
      const parts: string[] = [];
      for await (const { event } of checkpointer.read(id)) {
        const { label, part } = event as { label?: string; part?: number };
        if (label !== undefined) parts.push(`${label} ${part}`);
      }
      for (let at = 0; at < parts.length; at += batch.length) {
        const label = parts[at]?.split(" ")[0];
        const whole = batch.map((part) => `${label} ${part}`);
        expect(parts.slice(at, at + batch.length)).toEqual(whole);
        stored.push(String(label));
      }
    }
    expect(stored.toSorted()).toEqual(acknowledged.toSorted());
    expect(total.ended).toBeGreaterThanOrEqual(wanted);
    expect(total.active).toBeGreaterThan(wanted / 50);
    console.info(
      `${total.ended} backends ended, ${total.active} of them at work, ${stored.length} appends`,
    );

    // The pool is as good as new, and no larger than it may be.
    await Promise.all(clients.map((client) => checkpointer.append(`after ${client}`, [{}])));
    const counting =
      "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = $1";
    const { rows } = await admin.query<{ open: number }>(counting, [name]);
    expect(rows[0]?.open).toBeLessThanOrEqual(4);
  },
);
