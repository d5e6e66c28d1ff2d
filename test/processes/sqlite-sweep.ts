import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { inParallel, startChild } from "./children.ts";
import type { Left, PlaceIn, SweepTally, Target } from "./kill-sweep.ts";
import { readLedger } from "./ledger.ts";
import type { Script, ScriptNote } from "./run-script.ts";
import { prepareStore, type Scenario } from "./scenarios.ts";
import { eventOf, openPlace, runStep } from "./script.ts";
import { stateOf, stateText, type StoreState } from "./store-state.ts";

/** The calls with which SQLite changes its files. */
const calls = ["pwrite64", "fdatasync", "fsync", "ftruncate", "unlink"] as const;

/** Why the sweep cannot run here, or null. */
export function whyNoSweep(): string | null {
  if (process.platform !== "linux") return "strace is for Linux";
  const probe = ["-f", "-o", "/dev/null", "-e", "inject=fsync:signal=KILL:when=1", "true"];
  const { error, status, stderr } = spawnSync("strace", probe, { encoding: "utf8" });
  if (error !== undefined) return "strace is not installed";
  return status === 0 ? null : `strace cannot trace here: ${stderr.trim()}`;
}

interface Prepared {
  readonly scenario: Scenario;
  readonly target: Target;
  readonly before: StoreState;
  readonly after: StoreState;
}

const placeIn: PlaceIn = (directory) => ({
  adapter: "sqlite",
  at: join(directory, "sessions.db"),
  durability: "power",
});

async function inspect(directory: string): Promise<StoreState> {
  const reader = await openPlace(placeIn(directory));
  try {
    return await stateOf(reader);
  } finally {
    await reader.close();
  }
}

async function prepare(root: string, scenario: Scenario): Promise<Prepared> {
  const template = join(root, `${scenario.name} template`);
  mkdirSync(template);
  const writer = await openPlace(placeIn(template));
  await prepareStore(writer);
  await writer.close();
  const before = await inspect(template);
  const dry = join(root, `${scenario.name} dry`);
  cpSync(template, dry, { recursive: true });
  const changer = await openPlace(placeIn(dry));
  await runStep(changer, scenario.step);
  await changer.close();
  const target = { name: scenario.name, step: scenario.step, template, placeIn };
  return { scenario, target, before, after: await inspect(dry) };
}

/** Runs a step under strace; `inject` says what happens to it. */
async function trace(
  directory: string,
  { step, placeIn: place }: Target,
  inject: readonly string[],
): Promise<{ killed: boolean; notes: ScriptNote[] }> {
  const ledger = `${directory}.ledger`;
  const steps = [step, { do: "close" }] as const;
  const script: Script = { place: place(directory), ledger, steps, faults: [] };
  const log = ["-f", "-qq", "-o", `${directory}.trace`];
  const child = startChild("run-script", script, ["strace", ...log, ...inject]);
  const { signal, code, stderr } = await child.exit;
  const notes = readLedger<ScriptNote>(ledger);
  expect(JSON.stringify(notes), stderr).not.toContain("error");
  return { killed: signal === "SIGKILL" || code === 137, notes };
}

/** Kills a step at each write, sync, truncation and removal, and has what is left examined. */
export async function killAtEachSyscall(
  root: string,
  target: Target,
  tally: SweepTally,
  examine: (left: Left) => Promise<void>,
): Promise<void> {
  const { name, template } = target;
  const dry = join(root, `${name} traced`);
  cpSync(template, dry, { recursive: true });
  await trace(dry, target, ["-e", `trace=${calls.join()}`]);
  const lines = readFileSync(`${dry}.trace`, "utf8").split("\n");
  const points = calls.flatMap((call) => {
    const count = lines.filter((line) => new RegExp(`^\\d+ +${call}\\(`).test(line)).length;
    return Array.from({ length: count + 1 }, (_, index) => ({ call, at: index + 1, count }));
  });
  expect(points.length).toBeGreaterThan(calls.length);
  await inParallel(points, 3, async ({ call, at, count }) => {
    const where = `${name}, ${call} ${at} of ${count}`;
    const directory = join(root, where.replaceAll(/[^a-z0-9]+/gi, "-"));
    cpSync(template, directory, { recursive: true });
    const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${at}`];
    const { killed, notes } = await trace(directory, target, inject);
    expect(killed, where).toBe(at <= count);
    const acknowledged = notes.some((note) => "step" in note && note.step === 0);
    tally.points += 1;
    if (!killed) tally.survived += 1;
    if (acknowledged) tally.acknowledged += 1;
    await examine({ where, directory, place: target.placeIn(directory), acknowledged });
  });
}

/** Kills SQLite at each of its system calls in a scenario, and looks at what is left. */
export async function sweepSqlite(
  root: string,
  scenario: Scenario,
  tally: SweepTally,
): Promise<void> {
  const prepared = await prepare(root, scenario);
  await killAtEachSyscall(root, prepared.target, tally, (left) => examine(left, prepared, tally));
}

async function examine(
  { where, directory, place, acknowledged }: Left,
  { scenario: { step }, before, after }: Prepared,
  tally: SweepTally,
): Promise<void> {
  const found = await inspect(directory);
  const isNew = stateText(found) === stateText(after);
  tally[isNew ? "new" : "old"] += 1;
  expect(found, where).toEqual(isNew || acknowledged ? after : before);
  const survivor = await openPlace(place);
  const session = "session" in step ? step.session : "";
  if (step.do === "append" && step.key !== undefined) {
    await runStep(survivor, step);
    expect(await stateOf(survivor), `${where}: the same key again`).toEqual(after);
  }
  const known = (await stateOf(survivor))[session] ?? [];
  expect(await survivor.append(session, [eventOf("z")]), where).toBe(known.length + 1);
  await survivor.close();
}
