import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { finish, inParallel, startChild } from "./children.ts";
import type { Fault } from "./fault-plan.ts";
import { readLedger } from "./ledger.ts";
import type { Script, ScriptNote } from "./run-script.ts";
import { prepareStore, type Scenario } from "./scenarios.ts";
import { anchorOf, eventOf, openPlace, runStep, type Place, type Step } from "./script.ts";
import { ageLocks, leftovers, stateOf, stateText, type StoreState } from "./store-state.ts";

const soak = process.env["SOAK"] === "1";

/** What a sweep came to. */
export interface SweepTally {
  points: number;
  acknowledged: number;
  old: number;
  new: number;
  /** Points where nothing was killed because the change was over. */
  survived: number;
}

export function createTally(): SweepTally {
  return { points: 0, acknowledged: 0, old: 0, new: 0, survived: 0 };
}

/** Where a sweep keeps a store, given a directory that holds nothing else. */
export type PlaceIn = (directory: string) => Place;

const plainFiles: PlaceIn = (at) => ({ adapter: "file", at });

/** A step, and the store whose copies it is killed on. */
export interface Target {
  readonly name: string;
  readonly step: Step;
  /** Directory with the store as it is before the step. */
  readonly template: string;
  readonly placeIn: PlaceIn;
}

/** What a killed process left. */
export interface Left {
  /** Names the point in messages. */
  readonly where: string;
  readonly directory: string;
  readonly place: Place;
  /** Whether the step had been acknowledged. */
  readonly acknowledged: boolean;
}

/** A scenario with the states that are allowed, and the calls it makes. */
interface Prepared {
  readonly scenario: Scenario;
  readonly target: Target;
  readonly before: StoreState;
  readonly after: StoreState;
  readonly calls: readonly string[];
}

/** Builds a store for a scenario and runs it once without faults. */
export async function prepareScenario(
  root: string,
  scenario: Scenario,
  placeIn: PlaceIn = plainFiles,
): Promise<Prepared> {
  const { name, step } = scenario;
  const template = join(root, `${name} template`);
  mkdirSync(template);
  const place = placeIn(template);
  // A log to be sealed anew has to be under the other key.
  const writer = await openPlace(step.do === "rekey" ? { ...place, ring: "old" } : place);
  await prepareStore(writer);
  await writer.close();
  scenario.damage?.(template);
  const before = await inspect(place);
  const target: Target = { name, step, template, placeIn };
  const { calls, dry } = await runWhole(root, target);
  const after = await inspect(placeIn(dry));
  expect(leftovers(dry), name).toEqual([]);
  return { scenario, target, before, after, calls };
}

/** Runs a step on a copy of its store without faults. */
export async function runWhole(
  root: string,
  target: Target,
): Promise<{ calls: readonly string[]; dry: string }> {
  const dry = join(root, `${target.name} dry`);
  cpSync(target.template, dry, { recursive: true });
  const ledger = `${dry}.ledger`;
  await finish(startChild("run-script", scriptFor(dry, ledger, target, [])));
  const notes = readLedger<ScriptNote>(ledger);
  expect(JSON.stringify(notes), target.name).not.toContain("error");
  const last = notes.at(-1);
  return { dry, calls: last !== undefined && "done" in last ? last.done : [] };
}

function scriptFor(
  directory: string,
  ledger: string,
  { step, placeIn }: Target,
  faults: Fault[],
): Script {
  return { place: placeIn(directory), ledger, steps: [step, { do: "close" }], faults };
}

async function inspect(place: Place): Promise<StoreState> {
  const reader = await openPlace(place);
  try {
    return await stateOf(reader);
  } finally {
    await reader.close();
  }
}

/**
 * Kills a process before and after each changing call of a step, and has what is left examined.
 *
 * @param calls - from `runWhole`
 */
export async function killAtEachCall(
  root: string,
  target: Target,
  calls: readonly string[],
  tally: SweepTally,
  examine: (left: Left) => Promise<void>,
): Promise<void> {
  const points: Fault[] = [];
  // One more than there are calls, to see that the sweep reached the end.
  for (let at = 1; at <= calls.length + 1; at += 1) {
    points.push({ at, act: "kill-before" });
    // Behind other calls the disk is as it is before the next one.
    const decisive = /write|sync|truncate|rename/.test(calls[at - 1] ?? "write");
    if (decisive || soak) points.push({ at, act: "kill-after" });
  }
  await inParallel(points, 3, async (fault) => {
    const where = `${target.name}: ${fault.act} call ${fault.at} (${calls[fault.at - 1] ?? "none"})`;
    const directory = join(root, where.replaceAll(/[^a-z0-9]/gi, "-"));
    cpSync(target.template, directory, { recursive: true, preserveTimestamps: true });
    const ledger = `${directory}.ledger`;
    const script = scriptFor(directory, ledger, target, [fault]);
    const { signal, stderr } = await startChild("run-script", script).exit;
    expect(stderr, where).toBe("");
    const notes = readLedger<ScriptNote>(ledger);
    expect(JSON.stringify(notes), where).not.toContain("error");
    const acknowledged = notes.some((note) => "step" in note && note.step === 0);
    tally.points += 1;
    if (signal === null) tally.survived += 1;
    if (acknowledged) tally.acknowledged += 1;
    expect(signal === null, where).toBe(fault.at > calls.length);
    await examine({ where, directory, place: target.placeIn(directory), acknowledged });
  });
}

/** Kills a process at each call of a scenario, and looks at what is left. */
export async function sweep(root: string, prepared: Prepared, tally: SweepTally): Promise<void> {
  const { target, calls } = prepared;
  await killAtEachCall(root, target, calls, tally, (left) => examine(left, prepared, tally));
}

async function examine(left: Left, prepared: Prepared, tally: SweepTally): Promise<void> {
  const { where, directory, place, acknowledged } = left;
  const { before, after } = prepared;
  const { step } = prepared.scenario;
  const found = await inspect(place);
  const isNew = stateText(found) === stateText(after);
  tally[isNew ? "new" : "old"] += 1;
  // Where nothing was acknowledged, both the old and the new state are right; nothing else ever is.
  expect(found, where).toEqual(isNew || acknowledged ? after : before);

  ageLocks(directory);
  const survivor = await openPlace(place);
  try {
    if (step.do === "append" && step.key !== undefined) {
      await runStep(survivor, step);
      expect(await stateOf(survivor), `${where}: the same key again`).toEqual(after);
    }
    for (const session of "session" in step ? [step.session] : Object.keys(before)) {
      const known = (await stateOf(survivor))[session] ?? [];
      expect(await survivor.append(session, [eventOf("z")]), where).toBe(known.length + 1);
      expect((await stateOf(survivor))[session], where).toEqual([...known, "z"]);
      // An anchor that stayed behind would let an attacker cut what was appended since.
      const point = await anchorOf(place)?.get(session);
      if (point !== undefined) expect(point, where).toMatchObject({ seq: known.length + 1 });
    }
  } finally {
    await survivor.close();
  }
  expect(leftovers(directory), where).toEqual([]);
}
