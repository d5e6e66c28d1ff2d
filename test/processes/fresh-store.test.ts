// Goal: processes that meet in a store that does not exist yet all succeed, and agree. SQLite's switch
// to a write-ahead log ignores its busy timeout, so this once failed for 58 of 60 openers elsewhere
// (apache/maka#1544).

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reapChildren, type Child } from "./children.ts";
import { judgeRace, runRace, startRacers } from "./race.ts";
import { makeTempDir, removeTempDir } from "./store-state.ts";

const rounds = process.env["SOAK"] === "1" ? 100 : 10;
const openers = 8;

let root: string;
let racers: Child[];

beforeAll(async () => {
  root = makeTempDir();
  racers = await startRacers(openers);
});

afterAll(() => {
  reapChildren();
  removeTempDir(root);
});

describe(`${openers} processes create one fresh store`, () => {
  test.each(["file", "sqlite"] as const)("%s", async (adapter) => {
    let created = 0;
    for (let round = 0; round < rounds; round += 1) {
      const at = join(root, `${adapter} ${round}`);
      const place = { adapter, at, busyTimeoutMs: 50_000, durability: "process" } as const;
      const race = { place, session: "fresh", appends: 2, conditional: false };
      const tally = await judgeRace(place, "fresh", await runRace(racers, race));
      expect(tally, `round ${round}`).toEqual({
        events: openers * 2,
        lost: 0,
        doubled: 0,
        misplaced: 0,
      });
      created += 1;
    }
    console.log(`fresh store ${adapter}: ${openers} processes x ${created} rounds, 0 failed opens`);
  });
});
