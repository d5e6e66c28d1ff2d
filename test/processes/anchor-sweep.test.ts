// Goal: wherever a process dies between a change and its anchor, the log opens without a mismatch, is
// the old or the new one, and the anchor stands at its end after the next append. Method: the kill
// sweep over a sealed store whose anchor keeps its files through the same port; in SQLite the calls
// that count are those of the anchor alone, which is where the database and it can differ.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reapChildren } from "./children.ts";
import { createTally, prepareScenario, sweep, type PlaceIn } from "./kill-sweep.ts";
import { scenarios, type Scenario } from "./scenarios.ts";
import { makeFastTempDir, removeTempDir } from "./store-state.ts";

let root: string;

beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => {
  reapChildren();
  removeTempDir(root);
});

const soak = process.env["SOAK"] === "1";
const some = scenarios.filter(({ name }) => soak || /^append$|inside|delete|fork/.test(name));
const anchored: readonly Scenario[] = [...some, { name: "rekey", step: { do: "rekey" } }];

const places: ReadonlyArray<readonly ["file" | "sqlite", PlaceIn]> = [
  ["file", (at) => ({ adapter: "file", at: join(at, "store"), ...beside(at) })],
  ["sqlite", (at) => ({ adapter: "sqlite", at: join(at, "sessions.db"), ...beside(at) })],
];

function beside(directory: string): { ring: "both"; anchor: string } {
  return { ring: "both", anchor: join(directory, "anchor") };
}

describe.each(places)("%s", (adapter, placeIn) => {
  const tally = createTally();
  afterAll(() =>
    console.log(
      `anchor sweep ${adapter}: ${tally.points} points (${tally.acknowledged} acknowledged, ` +
        `${tally.survived} past the end), ${tally.old} left the old state, ${tally.new} the new ` +
        "one, 0 mismatches",
    ),
  );

  test.each(anchored)("$name survives a SIGKILL around its anchor", async (scenario) => {
    const own = join(root, adapter);
    mkdirSync(own, { recursive: true });
    const prepared = await prepareScenario(own, scenario, placeIn);
    expect(prepared.calls.length).toBeGreaterThan(8);
    await sweep(own, prepared, tally);
  });
});
