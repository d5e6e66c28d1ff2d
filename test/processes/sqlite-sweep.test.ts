// Goal: as for files, whatever write or sync of a change SQLite dies at. Method: SQLite has no port, so
// strace sends the signal at call k of each kind; random kills need no tool and always run.

import { afterAll, beforeAll, describe, test } from "vitest";
import { reapChildren } from "./children.ts";
import { createTally } from "./kill-sweep.ts";
import { scenarios } from "./scenarios.ts";
import { sweepSqlite, whyNoSweep } from "./sqlite-sweep.ts";
import { makeFastTempDir, removeTempDir } from "./store-state.ts";

const reason = whyNoSweep();
const tally = createTally();
const soak = process.env["SOAK"] === "1";
const some = scenarios.filter(({ name }) => soak || /key|inside|delete|fork/.test(name));

let root: string;

beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => {
  reapChildren();
  removeTempDir(root);
  const { points, acknowledged, survived } = tally;
  const text =
    reason === null
      ? `${points} points (${acknowledged} acknowledged, ${survived} past the end), ` +
        `${tally.old} left the old state, ${tally.new} the new one`
      : `skipped, ${reason}`;
  console.log(`kill sweep sqlite: ${text}`);
});

describe.skipIf(reason !== null)("killed at each write and sync", () => {
  test.each(some)("$name", async (scenario) => {
    await sweepSqlite(root, scenario, tally);
  });
});
