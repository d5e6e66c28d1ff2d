// The properties of the network must fail on stores that do wrong with a broken connection, with late writers or with
// clocks: the Postgres adapter, over a driver that lies to it, or with a defect of its own.

import { pathToFileURL } from "node:url";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { postgresStore, type PostgresPool } from "../../adapters/postgres/index.ts";
import { postgresFixture } from "../../cli/certify/postgres-fixture.ts";
import type { StorePlace } from "../../cli/certify/open-place.ts";
import { pinnedSeed } from "../../conformance/budget.ts";
import { properties, type CreateFixture } from "../../conformance/index.ts";
import { runProperty } from "../../conformance/run-property.ts";
import { createCheckpointer, type EventObject } from "../../src/index.ts";
import { open, type Defect, type DefectivePlace } from "./defective-postgres.ts";

type Answer = { rows: unknown[][]; command: string };
type Query = { text: string; values: unknown[] };

/** What a driver makes of an append whose connection broke. */
const defects: Readonly<Record<string, (query: Query) => Answer>> = {
  "says that it was not made": () => {
    throw Object.assign(new Error("no"), { code: "XX000", severity: "ERROR" });
  },
  "says that it was made": ({ values }) => ({
    rows: [["f".repeat(32), String(5 + Number(values[1])), "1"]],
    command: "SELECT",
  }),
};

/** A pool whose connections answer for the server when they break under an append. */
function lyingPool(connectionString: string, answer: (query: Query) => Answer): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4, allowExitOnIdle: true });
  pool.on("error", () => undefined);
  const connect = async (): Promise<object> => {
    const client = await pool.connect();
    const query = async (asked: Query): Promise<Answer> => {
      try {
        return await client.query(asked);
      } catch (error) {
        const isAppend = asked.text.includes("moved AS (UPDATE");
        if (!isAppend || (error as { severity?: string }).severity === "ERROR") throw error;
        return answer(asked);
      }
    };
    return Object.assign(Object.create(client) as object, { query });
  };
  return Object.assign(Object.create(pool) as pg.Pool, { connect });
}

function fixtureWith(answer: (query: Query) => Answer): CreateFixture {
  return async () => {
    const fixture = await postgresFixture("lying driver", { pipeline: "plain" });
    const { location, schema } = fixture.processArgument as StorePlace;
    const { server } = fixture;
    if (server === undefined) throw new Error("the fixture names no server");
    const open = (port: number) => {
      const url = new URL(location);
      url.port = String(port);
      const pool: PostgresPool = lyingPool(url.href, answer);
      return createCheckpointer<EventObject>(postgresStore({ pool, schema, busyTimeoutMs: 1_000 }));
    };
    return { ...fixture, server: { ...server, open } };
  };
}

describe.skipIf(process.env["PG_TEST_URL"] === undefined)("a driver that", () => {
  test.each([
    ["says that it was not made", "P74"],
    ["says that it was made", "P73"],
    ["says that it was not made", "P75"],
    ["says that it was made", "P75"],
  ])("%s fails %s", async (defect, id) => {
    const property = properties.find((one) => one.id === id)!;
    const options = { budget: { seed: pinnedSeed, effort: 1 }, patience: 30_000 };
    const { outcome } = await runProperty(property, fixtureWith(defects[defect]!), options);
    expect(outcome).toBe("fail");
  });
});

/** Compiled, since a child process runs no TypeScript. */
const processModule = pathToFileURL("dist/test/conformance/defective-postgres.js").href;

function defectiveFixture(defect: Defect): CreateFixture {
  return async () => {
    const fixture = await postgresFixture(defect, { pipeline: "plain" });
    const { location, schema } = fixture.processArgument as StorePlace;
    const { server } = fixture;
    if (server === undefined) throw new Error("the fixture names no server");
    const at = (url: string): DefectivePlace => ({ place: { location: url, schema }, defect });
    const throughPort = (port: number): ReturnType<typeof open> => {
      const url = new URL(location);
      url.port = String(port);
      return open(at(url.href));
    };
    return {
      ...fixture,
      processModule,
      processArgument: at(location),
      open: () => open(at(location)),
      server: { ...server, open: throughPort },
    };
  };
}

describe.skipIf(process.env["PG_TEST_URL"] === undefined)("a store that", () => {
  test.each([
    ["compares, and then writes", "W1", /piece \d+ kept back/],
    ["compares the head alone", "W1", /piece \d+ kept back/],
    ["compares, and then writes", "W2", /stopped before call \d+/],
    ["compares the head alone", "W2", /stopped before call \d+/],
    ["sorts what it reads by time", "P76", /deep-equal/],
    ["holds a connection for as long as a read is open", "P77", /no connection was free/],
    // A follower that has missed something waits for it for ever.
    ["follows from the head that it finds when it comes back", "F4", /tail\(\) across connections/],
  ] as const)("%s fails %s", async (defect, id, message) => {
    const property = properties.find((one) => one.id === id)!;
    const patience = id === "F4" ? 3_000 : 60_000;
    const options = { budget: { seed: pinnedSeed, effort: 1 }, patience };
    const result = await runProperty(property, defectiveFixture(defect), options);
    expect(result.outcome, result.message).toBe(id === "F4" ? "hung" : "fail");
    expect(`${result.failedCase}: ${result.message}`).toMatch(message);
  });
});
