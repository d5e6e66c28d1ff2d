// Goal: whatever call of a change a process dies at, everything acknowledged is there, the change is
// there whole or not at all, and the next writer goes on. Method: a child kills itself before and
// after each of its calls that change something, and this process looks at what is left.

import { afterAll, beforeAll, expect, test } from "vitest";
import { reapChildren } from "./children.ts";
import { createTally, prepareScenario, sweep } from "./kill-sweep.ts";
import { scenarios, tornScenarios } from "./scenarios.ts";
import { makeTempDir, removeTempDir } from "./store-state.ts";

let root: string;
const tally = createTally();

beforeAll(() => void (root = makeTempDir()));
afterAll(() => {
  reapChildren();
  removeTempDir(root);
  const { points, acknowledged, survived } = tally;
  console.log(
    `kill sweep file: ${points} points (${acknowledged} acknowledged, ${survived} past the end), ` +
      `${tally.old} left the old state, ${tally.new} the new one`,
  );
});

test.each([...scenarios, ...tornScenarios])(
  "$name survives a SIGKILL at each of its calls",
  async (scenario) => {
    const prepared = await prepareScenario(root, scenario);
    expect(prepared.calls.length).toBeGreaterThan(8);
    await sweep(root, prepared, tally);
  },
);
