// The pooler that stands in front of many a Postgres, in transaction mode: a connection of the store is another one of
// the server in each transaction. Settings are lost there, LISTEN hears nothing, and what was prepared is there or not.

import process from "node:process";
import { afterAll, beforeAll, describe, test } from "vitest";
import { createBuiltInFixture } from "../../cli/certify/built-in-fixtures.ts";
import { vitestConformance, type CreateFixture } from "../../conformance/index.ts";
import { keepsStatements, pgbouncerVersion, startPgbouncer } from "./start-pgbouncer.ts";

const serverUrl = process.env["PG_TEST_URL"];
const version = pgbouncerVersion();
const isThere = serverUrl !== undefined && version !== undefined;
if (!isThere)
  console.log("Tests behind pgbouncer are skipped: there is no pgbouncer, or no server");

/** What other connections, lost settings, lost statements and unheard notifications could change. */
const only = [
  "P01",
  "P08",
  "P10",
  "P13",
  "P15",
  "P17",
  "P20",
  "P21",
  "P22",
  "P24",
  "P27",
  "P34",
  "P38",
  "P44",
  "P45",
  "P46",
  "P49",
  "P50",
  "P52",
  "P55",
  "P57",
  "P58",
  "P61",
  "P65",
  "P69",
  "P75",
  "P77",
  "K1",
  "K7",
  "B1",
  "B2",
  "T1",
  "F1",
  "F2",
  "F4",
  "F5",
  "F6",
  "L1",
  "R4",
  "M4",
  "S1",
];

/** An older one cannot keep any. */
const counts = (version ?? 0) < keepsStatements ? [0] : [0, 100];

describe.skipIf(!isThere).each(counts)("behind pgbouncer that keeps %i statements", (kept) => {
  let pooler: Awaited<ReturnType<typeof startPgbouncer>> | undefined;
  beforeAll(async () => {
    pooler = await startPgbouncer(serverUrl ?? "", kept);
  });
  afterAll(() => pooler?.stop());

  const createFixture: CreateFixture = () =>
    createBuiltInFixture(
      { kind: "built-in", name: "postgres", pipeline: "plain" },
      { hasty: true, server: pooler?.url },
    )();
  vitestConformance(createFixture, { describe, test }, { effort: 0.05, only });
});
