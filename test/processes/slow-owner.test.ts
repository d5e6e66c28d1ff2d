// Goal: an owner that is stopped at any call for longer than the stale limit and then goes on neither
// loses nor splices anything. Method: a child stops itself with SIGSTOP at each of its calls; this
// process takes the session over and changes it, then wakes the child. Whatever comes out must be what
// some order of the changes gives, and what the callers heard must fit to it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inParallel, reapChildren } from "./children.ts";
import type { Fault } from "./fault-plan.ts";
import type { PortName } from "./faulty-port.ts";
import { scenarios } from "./scenarios.ts";
import { callsOf, prepareTemplate, stopAt, type SlowTally } from "./slow-owner.ts";
import { makeFastTempDir, removeTempDir } from "./store-state.ts";

/** Under SOAK every scenario and every call; else what differs from the others. */
const soak = process.env["SOAK"] === "1";
const once = scenarios.filter(({ name }) => soak || !/key|between|to 0/.test(name));
const twice = scenarios.filter(({ name }) => soak || /^append$|inside|delete/.test(name));

let root: string;
const tally: SlowTally = { points: 0, acknowledged: 0, refused: 0, wrong: 0 };

beforeAll(async () => {
  root = makeFastTempDir();
  await prepareTemplate(root);
});

afterAll(() => {
  reapChildren();
  removeTempDir(root);
  const { points, acknowledged, refused, wrong } = tally;
  console.log(
    `slow owner: stopped at ${points} points, ${acknowledged} late changes acknowledged, ` +
      `${refused} refused, ${wrong} lost, doubled or spliced`,
  );
});

describe("an owner stopped once", () => {
  test.each(once)("$name", async ({ name, step }) => {
    const calls = await callsOf(root, step);
    expect(calls.length).toBeGreaterThan(15);
    const points = [...calls.entries()].filter(
      ([index, call]) => soak || call !== calls[index - 1],
    );
    await inParallel(points, 4, ([index, call]) => {
      const fault: Fault = { at: index + 1, act: "stop", counts: "all" };
      return stopAt(root, step, [fault], `${name} ${index + 1} ${call}`, tally);
    });
  });
});

describe("an owner stopped twice", () => {
  const decisive: ReadonlySet<string> = new Set<PortName>(["writeSync", "renameSync"]);

  test.each(twice)("$name", async ({ name, step }) => {
    const calls = await callsOf(root, step);
    const last = calls.findLastIndex((call) => decisive.has(call));
    await inParallel(calls.slice(0, last).entries(), 4, ([index, call]) => {
      const next = calls.slice(index + 1).find((later) => decisive.has(later)) as PortName;
      const earlier = calls.slice(0, index + 1).filter((one) => one === next).length;
      const faults: Fault[] = [
        { at: index + 1, act: "stop", counts: "all" },
        { at: earlier + 1, act: "stop", counts: [next] },
      ];
      return stopAt(root, step, faults, `${name} ${index + 1} ${call} then ${next}`, tally);
    });
  });
});
