// Goal: whichever call of the file system fails, a change is done or not done and says so, nothing is
// left behind and the next change works. Method: SQLite's loop (sqlite.org/testing.html): fail call
// 1, 2, 3, ... until the change makes fewer calls than that.

import { join } from "node:path";
import type { Checkpointer } from "../../src/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  codesFor,
  descriptorsIn,
  prepareGround,
  runFaulty,
  type FaultTally,
} from "./fault-loop.ts";
import { scenarios, tornScenarios } from "./scenarios.ts";
import { inParallel } from "./children.ts";
import { answerOf } from "./model.ts";
import { createFaultyPort } from "./fault-plan.ts";
import { openPlace, type TestEvent } from "./script.ts";
import { idsOf, makeFastTempDir, removeTempDir } from "./store-state.ts";

let root: string;
const tally: FaultTally = { faults: 0, absorbed: 0, refused: 0, unknown: 0 };

beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => {
  removeTempDir(root);
  const { faults, absorbed, refused, unknown } = tally;
  console.log(
    `fault loop: ${faults} faults, ${absorbed} absorbed, ${refused} refused with nothing changed, ` +
      `${unknown} of unknown outcome`,
  );
});

const everything = [...scenarios, ...tornScenarios];

describe("one call fails", () => {
  test.each(everything)("$name", async (scenario) => {
    const ground = await prepareGround(root, scenario);
    expect(ground.calls.length).toBeGreaterThan(10);
    const points = ground.calls.flatMap((name, index) =>
      codesFor(name).map((code) => ({ at: index + 1, code })),
    );
    await inParallel(points, 1, ({ at, code }) =>
      runFaulty(root, ground, [{ at, act: "fail", code, counts: "all" }], tally),
    );
  });
});

describe("every call fails from one on", () => {
  test.each(everything)("$name", async (scenario) => {
    const ground = await prepareGround(root, scenario);
    await inParallel(ground.calls.keys(), 1, (index) =>
      runFaulty(root, ground, [{ at: index + 1, act: "fail-on", counts: "all" }], tally),
    );
  });
});

describe("the disk is full from one call on", () => {
  const growing = ["writeSync", "copyFile", "mkdir", "mkdirSync"] as const;

  test.each(everything)("$name", async (scenario) => {
    const ground = await prepareGround(root, scenario);
    const count = ground.calls.filter((name) => growing.some((one) => one === name)).length;
    await inParallel(Array(count).keys(), 1, (index) => {
      const act = "fail-on";
      return runFaulty(
        root,
        ground,
        [{ at: index + 1, act, code: "ENOSPC", counts: growing }],
        tally,
      );
    });
  });
});

describe("a write takes only half", () => {
  test.each(everything)("$name", async (scenario) => {
    const ground = await prepareGround(root, scenario);
    const count = ground.calls.filter((name) => name === "writeSync").length;
    const counts = ["writeSync"] as const;
    await inParallel(Array(count).keys(), 1, async (index) => {
      const short = { at: index + 1, act: "short", counts } as const;
      await runFaulty(root, ground, [short], tally);
      const full = { at: index + 2, act: "fail", code: "ENOSPC", counts } as const;
      await runFaulty(root, ground, [short, full], tally);
    });
  });
});

describe("one call of a reader fails", () => {
  const readers: Record<string, (store: Checkpointer<TestEvent>) => Promise<unknown>> = {
    head: (store) => store.head("s"),
    read: (store) => idsOf(store, "s"),
    list: async (store) => {
      const sessions = await store.list();
      // A file that cannot be read is one damaged session, and no other one is hidden or altered.
      return sessions.map(({ id, head, damaged }) => (damaged ? id : `${id} ${head}`)).toSorted();
    },
  };

  test.each(Object.entries(readers))("%s", async (_, read) => {
    await prepareGround(root, scenarios[0]!);
    const place = { adapter: "file", at: join(root, "template") } as const;
    const before = await openPlace(place);
    const right = JSON.stringify(await read(before));
    await before.close();
    let more = true;
    for (let at = 1; more; at += 1) {
      more = false;
      for (const code of ["EIO", "EMFILE", "EACCES"]) {
        const { port, arm, disarm, fired } = createFaultyPort([
          { at, act: "fail", code, counts: "all" },
        ]);
        const reader = await openPlace(place, port);
        arm();
        const answer = await answerOf(async () => JSON.stringify(await read(reader)));
        disarm();
        if (fired() > 0) more = true;
        const damagedOnly = /"(s|neighbour)"/.test(String(answer)) && code === "EIO";
        const honest = [right, "IO_FAILED"].includes(String(answer)) || damagedOnly;
        expect(honest, `call ${at} fails with ${code}: ${String(answer)}`).toBe(true);
        expect(JSON.stringify(await read(reader)), "once it works again").toBe(right);
        await reader.close();
      }
    }
    expect(descriptorsIn(root)).toEqual([]);
  });
});
