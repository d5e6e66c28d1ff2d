// Goal: sealing a log anew, and keeping an anchor for it, cost no append that lands meanwhile. Method:
// processes append to one session without pause, while this one seals it under one key and then the
// other, over and over, and reads it. Whatever they heard has to be there in the end.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isCheckpointError } from "../../src/index.ts";
import { reapChildren, type Child } from "./children.ts";
import { judgeRace, runRace, startRacers } from "./race.ts";
import { anchorOf, eventOf, openPlace, type Place } from "./script.ts";
import type { Ring } from "./rings.ts";
import { idsOf, makeTempDir, removeTempDir } from "./store-state.ts";

const session = "s";
const appends = process.env["SOAK"] === "1" ? 2_000 : 60;
let root: string;
let racers: Child[];

beforeAll(async () => {
  root = makeTempDir();
  racers = await startRacers(2);
});
afterAll(() => {
  reapChildren();
  removeTempDir(root);
});

/** Calls `work` again and again until the race is over; it says how often something was done. */
async function during(race: Promise<unknown>, work: () => Promise<number>): Promise<number> {
  let isOver = false;
  const over = race.finally(() => void (isOver = true));
  let done = 0;
  while (!isOver) {
    done += await work();
    // Reads of files may never leave the microtasks, and messages of children need a turn.
    await new Promise(setImmediate);
  }
  await over;
  return done;
}

/** Seals the session under the main key of a ring. */
async function rekeyAs(place: Place, ring: Ring, tally: { busy: number }): Promise<number> {
  const checkpointer = await openPlace({ ...place, ring });
  try {
    return (await checkpointer.rekey(session)).sessions;
  } catch (error) {
    // Where the store has no lock for it, appends that never pause may always be faster.
    if (!isCheckpointError(error, "BUSY")) throw error;
    tally.busy += 1;
    return 0;
  } finally {
    await checkpointer.close();
  }
}

describe.each([
  { adapter: "file", anchored: false },
  { adapter: "file", anchored: true },
  { adapter: "sqlite", anchored: false },
  { adapter: "sqlite", anchored: true },
] as const)("$adapter, anchored: $anchored", ({ adapter, anchored }) => {
  const placeFor = (name: string): Place => {
    const own = join(root, `${name} ${adapter} ${anchored}`);
    const place: Place = { adapter, at: `${own}.store`, ring: "both", busyTimeoutMs: 50_000 };
    return anchored ? { ...place, anchor: `${own}.anchor` } : place;
  };

  test("rekey() during appends of other processes loses and doubles nothing", async () => {
    const place = placeFor("rekey");
    const first = await openPlace({ ...place, ring: "old" });
    await first.append(session, [eventOf("a"), eventOf("b")]);
    await first.close();
    const rivals = { busy: 0 };
    const race = runRace(racers, { place, session, appends, conditional: false });
    let turns = 0;
    const rewritten = await during(race, async () => {
      turns += 1;
      return rekeyAs(place, turns % 2 === 0 ? "both" : "rotating", rivals);
    });
    const results = await race;
    await rekeyAs(place, "both", rivals);
    const tally = await judgeRace({ ...place, ring: "new" }, session, results);
    console.log(
      `rekey race ${adapter}, anchored ${anchored}: ${tally.events} events, ${rewritten} logs ` +
        `sealed anew in ${turns} turns, ${rivals.busy} gave up; ${tally.lost} lost, ` +
        `${tally.doubled} doubled, ${tally.misplaced} misplaced`,
    );
    const events = 2 + racers.length * appends;
    expect(tally).toEqual({ events, lost: 0, doubled: 0, misplaced: 0 });
  });

  test.runIf(anchored)("processes that share an anchor see no mismatch", async () => {
    const place = placeFor("append");
    const reader = await openPlace(place);
    const race = runRace(racers, { place, session, appends, conditional: true });
    const reads = await during(race, async () => {
      await idsOf(reader, session);
      return 1;
    });
    await reader.close();
    const tally = await judgeRace(place, session, await race);
    const events = racers.length * appends;
    console.log(`anchor race ${adapter}: ${tally.events} events, ${reads} reads, 0 mismatches`);
    expect(tally).toEqual({ events, lost: 0, doubled: 0, misplaced: 0 });
    expect(await anchorOf(place)?.get(session)).toMatchObject({ seq: events });
  });
});
