import { expect } from "vitest";
import { startChild, type Child } from "./children.ts";
import type { Race, RaceResult } from "./racer.ts";
import { openPlace, type Place } from "./script.ts";
import { idsOf, stateOf } from "./store-state.ts";

/** Starts processes that wait for races. */
export async function startRacers(count: number): Promise<Child[]> {
  const racers = Array.from({ length: count }, () => startChild("racer", null));
  await Promise.all(racers.map((racer) => racer.message()));
  return racers;
}

/** Lets all of them run at once; each gets its own name. */
export async function runRace(
  racers: readonly Child[],
  race: Omit<Race, "name">,
): Promise<RaceResult[]> {
  // Messages to processes that are already listening arrive within a millisecond of each other.
  for (const [index, racer] of racers.entries()) racer.send({ ...race, name: `p${index}` });
  return Promise.all(racers.map((racer) => racer.message<RaceResult>()));
}

/** The smallest and the largest of some numbers. */
export function spread(values: readonly number[], unit: string): string {
  return `${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))} ${unit}`;
}

/** What a race lost or doubled; both must be 0. */
export interface RaceTally {
  events: number;
  lost: number;
  doubled: number;
  misplaced: number;
}

/** Compares what the racers heard with what is stored. */
export async function judgeRace(
  place: Place,
  session: string,
  results: readonly RaceResult[],
): Promise<RaceTally> {
  const checkpointer = await openPlace(place);
  const ids = await idsOf(checkpointer, session);
  await stateOf(checkpointer);
  await checkpointer.close();
  expect(results.map(({ error }) => error)).toEqual(results.map(() => null));
  const tally = {
    events: ids.length,
    lost: 0,
    doubled: ids.length - new Set(ids).size,
    misplaced: 0,
  };
  for (const [process, { heads }] of results.entries()) {
    const own = ids.filter((id) => id.startsWith(`p${process}.`));
    tally.lost += heads.length - own.length;
    // Each append stands where its process was told, and later ones stand later.
    for (const [index, head] of heads.entries()) {
      const later = index === 0 || head > (heads[index - 1] ?? 0);
      if (ids[head - 1] !== `p${process}.${index}` || !later) tally.misplaced += 1;
    }
  }
  return tally;
}
