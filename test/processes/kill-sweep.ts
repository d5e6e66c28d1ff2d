import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { finish, inParallel, startChild } from "./children.ts";
import type { Fault } from "./fault-plan.ts";
import { readLedger } from "./ledger.ts";
import type { Script, ScriptNote } from "./run-script.ts";
import { prepareStore, type Scenario } from "./scenarios.ts";
import { eventOf, openPlace, runStep, type Place } from "./script.ts";
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

/** A scenario with the states that are allowed, and the calls it makes. */
interface Prepared {
  readonly scenario: Scenario;
  readonly template: string;
  readonly before: StoreState;
  readonly after: StoreState;
  readonly calls: readonly string[];
}

/** Builds a store for a scenario and runs it once without faults. */
export async function prepareScenario(root: string, scenario: Scenario): Promise<Prepared> {
  const template = join(root, `${scenario.name} template`);
  const place: Place = { adapter: "file", at: template };
  const writer = await openPlace(place);
  await prepareStore(writer);
  await writer.close();
  scenario.damage?.(template);
  const before = await inspect(place);

  const dry = join(root, `${scenario.name} dry`);
  cpSync(template, dry, { recursive: true });
  const ledger = `${dry}.ledger`;
  await finish(startChild("run-script", scriptFor(dry, ledger, scenario, [])));
  const last = readLedger<ScriptNote>(ledger).at(-1);
  const calls = last !== undefined && "done" in last ? last.done : [];
  const after = await inspect({ adapter: "file", at: dry });
  expect(leftovers(dry), scenario.name).toEqual([]);
  return { scenario, template, before, after, calls };
}

function scriptFor(at: string, ledger: string, { step }: Scenario, faults: Fault[]): Script {
  return { place: { adapter: "file", at }, ledger, steps: [step, { do: "close" }], faults };
}

async function inspect(place: Place): Promise<StoreState> {
  const reader = await openPlace(place);
  try {
    return await stateOf(reader);
  } finally {
    await reader.close();
  }
}

/** Kills a process before and after each changing call of a scenario, and looks at what is left. */
export async function sweep(root: string, prepared: Prepared, tally: SweepTally): Promise<void> {
  const points: Fault[] = [];
  // One more than there are calls, to see that the sweep reached the end.
  for (let at = 1; at <= prepared.calls.length + 1; at += 1) {
    points.push({ at, act: "kill-before" });
    // Behind other calls the disk is as it is before the next one.
    const decisive = /write|sync|truncate|rename/.test(prepared.calls[at - 1] ?? "write");
    if (decisive || soak) points.push({ at, act: "kill-after" });
  }
  await inParallel(points, 3, (fault) => killAt(root, prepared, fault, tally));
}

async function killAt(
  root: string,
  { scenario, template, before, after, calls }: Prepared,
  fault: Fault,
  tally: SweepTally,
): Promise<void> {
  const { name, step } = scenario;
  const where = `${name}: ${fault.act} call ${fault.at} (${calls[fault.at - 1] ?? "none"})`;
  const at = join(root, where.replaceAll(/[^a-z0-9]/gi, "-"));
  cpSync(template, at, { recursive: true, preserveTimestamps: true });
  const ledger = `${at}.ledger`;
  const { signal, stderr } = await startChild(
    "run-script",
    scriptFor(at, ledger, scenario, [fault]),
  ).exit;
  expect(stderr, where).toBe("");
  const notes = readLedger<ScriptNote>(ledger);
  expect(JSON.stringify(notes), where).not.toContain("error");
  const acknowledged = notes.some((note) => "step" in note && note.step === 0);
  tally.points += 1;
  if (signal === null) tally.survived += 1;
  if (acknowledged) tally.acknowledged += 1;
  expect(signal === null, where).toBe(fault.at > calls.length);

  const place: Place = { adapter: "file", at };
  const found = await inspect(place);
  const isNew = stateText(found) === stateText(after);
  tally[isNew ? "new" : "old"] += 1;
  // Where nothing was acknowledged, both the old and the new state are right; nothing else ever is.
  expect(found, where).toEqual(isNew || acknowledged ? after : before);

  ageLocks(at);
  const survivor = await openPlace(place);
  try {
    const session = "session" in step ? step.session : "";
    if (step.do === "append" && step.key !== undefined) {
      await runStep(survivor, step);
      expect(await stateOf(survivor), `${where}: the same key again`).toEqual(after);
    }
    const known = (await stateOf(survivor))[session] ?? [];
    expect(await survivor.append(session, [eventOf("z")]), where).toBe(known.length + 1);
    expect((await stateOf(survivor))[session], where).toEqual([...known, "z"]);
  } finally {
    await survivor.close();
  }
  expect(leftovers(at), where).toEqual([]);
}
