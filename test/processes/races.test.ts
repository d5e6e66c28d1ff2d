// Goal: handles and processes that write one session at once lose nothing, double nothing and keep
// each one's order. Fairness is printed and not asserted: it is the scheduler's as much as ours.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isCheckpointError, type Checkpointer } from "../../src/index.ts";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { reapChildren, type Child } from "./children.ts";
import { judgeRace, runRace, spread, startRacers } from "./race.ts";
import { eventOf, openPlace, type Place, type TestEvent } from "./script.ts";
import { idsOf, makeTempDir, removeTempDir } from "./store-state.ts";

const processes = 4;
const appends = process.env["SOAK"] === "1" ? 1_000 : 100;
const increments = process.env["SOAK"] === "1" ? 1_000 : 100;

let root: string;
let racers: Child[];

beforeAll(async () => {
  root = makeTempDir();
  racers = await startRacers(processes);
});

afterAll(() => {
  reapChildren();
  removeTempDir(root);
});

function placeOf(adapter: Place["adapter"]): Place {
  // 4 processes share two cores with whatever else runs there; waiting long is not what is tested.
  const common = { adapter, busyTimeoutMs: 50_000 } as const;
  return { ...common, at: join(root, adapter === "file" ? "files" : "sessions.db") };
}

describe.each(["file", "sqlite"] as const)("4 processes on %s", (adapter) => {
  test("append without a condition", async () => {
    const place = placeOf(adapter);
    const session = "unconditional";
    const results = await runRace(racers, { place, session, appends, conditional: false });
    const tally = await judgeRace(place, session, results);
    console.log(
      `race ${adapter}: ${processes} processes x ${appends} appends, ${tally.lost} lost, ` +
        `${tally.doubled} doubled, ${tally.misplaced} out of place; a process took ` +
        spread(
          results.map(({ ms }) => ms),
          "ms",
        ),
    );
    expect(tally).toEqual({ events: processes * appends, lost: 0, doubled: 0, misplaced: 0 });
  });

  test("increment with compare-and-swap", async () => {
    const place = placeOf(adapter);
    const session = "conditional";
    const race = { place, session, appends: increments, conditional: true };
    const results = await runRace(racers, race);
    const tally = await judgeRace(place, session, results);
    console.log(
      `race ${adapter}: ${processes} processes x ${increments} conditional appends, ` +
        `${tally.lost} lost, ${tally.doubled} doubled; a process had ` +
        spread(
          results.map(({ conflicts }) => conflicts),
          "conflicts",
        ),
    );
    expect(tally).toEqual({ events: processes * increments, lost: 0, doubled: 0, misplaced: 0 });
  });
});

describe.each(["memory", "file", "sqlite"] as const)("two handles on %s", (adapter) => {
  /** A memory store is its handle, so there both are the same one. */
  async function openTwo(): Promise<Array<Checkpointer<TestEvent>>> {
    if (adapter === "memory") {
      const only = memoryCheckpointer<TestEvent>();
      return [only, only];
    }
    const place = { ...placeOf(adapter), at: join(root, `two handles ${adapter}`) };
    return [await openPlace(place), await openPlace(place)];
  }

  test("append by turns and at once", async () => {
    const handles = await openTwo();
    const work = handles.map(async (handle, name) => {
      for (let index = 0; index < 50; index += 1) {
        await handle.append("plain", [eventOf(`h${name}.${index}`)]);
      }
    });
    await Promise.all(work);
    const ids = await idsOf(handles[0]!, "plain");
    for (const name of handles.keys()) {
      const own = ids.filter((id) => id.startsWith(`h${name}.`));
      expect(own).toEqual(own.map((_, index) => `h${name}.${index}`));
    }
    expect(ids.length).toBe(100);
    for (const handle of handles) await handle.close();
  });

  test("only one of two equal expectations is met", async () => {
    const handles = await openTwo();
    for (let round = 0; round < 20; round += 1) {
      const results = await Promise.allSettled(
        handles.map((handle, name) => handle.append("swap", [eventOf(`h${name}.${round}`)], round)),
      );
      const refused = results.flatMap((result) =>
        result.status === "rejected" ? [result.reason as unknown] : [],
      );
      expect(refused.length).toBe(1);
      expect(isCheckpointError(refused[0], "CONFLICT")).toBe(true);
      expect(refused[0]).toMatchObject({ expected: round, actual: round + 1 });
    }
    expect((await idsOf(handles[0]!, "swap")).length).toBe(20);
    for (const handle of handles) await handle.close();
  });
});
