// How many assertions each property makes on a good store. One that is lost, by a case that returns
// early or a loop over nothing, changes the number; a reviewer sees it in the diff of ledger.json.
// UPDATE_LEDGER=1 writes the file anew.

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { expect, test } from "vitest";
import { memoryStore } from "../../adapters/memory/index.ts";
import { pinnedSeed } from "../../conformance/budget.ts";
import { properties } from "../../conformance/properties/index.ts";
import { runProperty } from "../../conformance/run-property.ts";
import { createCheckpointer, type EventObject } from "../../src/index.ts";
import { sixMethods, withoutClose } from "../six-methods.ts";
import type { Fixture } from "../../conformance/fixture.ts";

const file = new URL("ledger.json", import.meta.url);

/** Properties whose cases look as often as they get to, so that only a lower bound can be given. */
const timed: Readonly<Record<string, string>> = {
  P08: "looks for as long as a writer writes",
  P52: "looks for as long as a truncate runs",
};

function sixMethodStore(): Fixture {
  const store = withoutClose(sixMethods(memoryStore()));
  const open = () => createCheckpointer<EventObject>(store);
  return { name: "six-method store", open, dispose: () => undefined };
}

test("every property makes as many assertions as are written down", async () => {
  const counts: Record<string, number> = {};
  const options = { budget: { seed: pinnedSeed, effort: 1 }, patience: 60_000 };
  for (const property of properties) {
    const { outcome, assertions } = await runProperty(property, sixMethodStore, options);
    expect(["pass", "skip"], property.id).toContain(outcome);
    counts[property.id] = assertions;
  }
  if (process.env["UPDATE_LEDGER"] === "1") {
    const bounded = Object.entries(counts).map(([id, count]) => [id, id in timed ? 20 : count]);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(bounded), null, 2)}\n`);
  }
  const ledger = JSON.parse(readFileSync(file, "utf8")) as Record<string, number>;
  expect(Object.keys(counts)).toEqual(Object.keys(ledger));
  for (const id of Object.keys(timed)) expect(counts[id], id).toBeGreaterThanOrEqual(ledger[id]!);
  const exact = (of: Record<string, number>) =>
    Object.fromEntries(Object.entries(of).filter(([id]) => !(id in timed)));
  expect(exact(counts)).toEqual(exact(ledger));
});
