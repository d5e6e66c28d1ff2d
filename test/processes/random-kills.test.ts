// Goal: a process that is killed at any moment loses nothing that it acknowledged, and leaves no part
// of a batch. Method: kill 200 writers at seeded random moments and read everything after each; then writers that
// work on one session together.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inParallel, reapChildren } from "./children.ts";
import { createKillTally, finishStore, killStorm, killWriters } from "./random-kills.ts";
import { makeFastTempDir, removeTempDir } from "./store-state.ts";
import type { Place } from "./script.ts";

const seed = 20_260_101;
const lanes = 4;
const soak = process.env["SOAK"] === "1";
/** Of each adapter, one writer to a session. */
const kills = soak ? 2_000 : 100;
/** Of each adapter, several writers to one session. */
const stormKills = soak ? 500 : 20;

let root: string;

beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => {
  reapChildren();
  removeTempDir(root);
});

describe(`${kills} SIGKILLs at random moments`, () => {
  test.each([
    { adapter: "file", durability: "power" },
    { adapter: "sqlite", durability: "power" },
  ] as const)("$adapter", { timeout: kills * 2_000 }, async ({ adapter, durability }) => {
    const at = join(root, adapter === "file" ? "files" : "sessions.db");
    const place: Place = { adapter, at, durability };
    const tally = createKillTally();
    await inParallel(Array(lanes).keys(), lanes, (lane) =>
      killWriters(place, root, lane, kills / lanes, seed, tally),
    );
    await finishStore(place, tally);
    const { acknowledged, stored, lost, doubled, torn } = tally;
    console.log(
      `random kills ${adapter}: ${tally.kills} kills (seed ${seed}), ${acknowledged} events ` +
        `acknowledged, ${stored} stored, ${lost} lost, ${doubled} doubled, ${torn} torn batches`,
    );
    expect(tally).toMatchObject({ kills, lost: 0, doubled: 0, torn: 0 });
    expect(acknowledged).toBeGreaterThan(kills);
  });
});

describe(`${stormKills} SIGKILLs among writers of one session`, () => {
  test.each(["file", "sqlite"] as const)("%s", { timeout: stormKills * 3_000 }, async (adapter) => {
    const at = join(root, adapter === "file" ? "storm" : "storm.db");
    const place: Place = { adapter, at, busyTimeoutMs: 50_000 };
    const tally = createKillTally();
    await killStorm(place, root, stormKills, seed + 1, tally);
    await finishStore(place, tally);
    const { acknowledged, stored, lost, doubled, torn } = tally;
    console.log(
      `kill storm ${adapter}: ${tally.kills} kills (seed ${seed + 1}), ${acknowledged} events ` +
        `acknowledged, ${stored} stored, ${lost} lost, ${doubled} doubled, ${torn} torn batches`,
    );
    expect(tally).toMatchObject({ kills: stormKills, lost: 0, doubled: 0, torn: 0 });
  });
});
