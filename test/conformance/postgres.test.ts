// Postgres under the suite, on the server of this test run. Runs are fewer than on files, since every step is a round
// trip; `ckpt certify postgres` has all of them.

import { describe, test } from "vitest";
import { createBuiltInFixture } from "../../cli/certify/built-in-fixtures.ts";
import type { PipelineName } from "../../cli/certify/fixture-source.ts";
import { vitestConformance, type CreateFixture } from "../../conformance/index.ts";

function postgres(pipeline: PipelineName): CreateFixture {
  return createBuiltInFixture({ kind: "built-in", name: "postgres", pipeline }, { hasty: true });
}

/** What a codec, which encodes again after a lost race, could change on a store of this kind. */
const sealed = [
  "P02",
  "P08",
  "P10",
  "P13",
  "P15",
  "P17",
  "P20",
  "P21",
  "P24",
  "P27",
  "P29",
  "P34",
  "P46",
  "P50",
  "R4",
  "T2",
  "K1",
  "K2",
  "K3",
  "K7",
  "B1",
  "B2",
  "F1",
  "F5",
  "M4",
  "P55",
  "P65",
  "S1",
];

describe.skipIf(process.env["PG_TEST_URL"] === undefined)("postgres", () => {
  describe("plain", () => {
    vitestConformance(postgres("plain"), { describe, test }, { effort: 0.15 });
  });
  describe("sealed", () => {
    vitestConformance(postgres("sealed"), { describe, test }, { effort: 0.1, only: sealed });
  });
});
