// Goal: with durability "power" nothing acknowledged is lost by a power cut, whatever the disk made of
// what was not synced. Method: ALICE's (Pillai et al., OSDI 2014): record the calls of some changes, build
// every state that is legal at each moment, open each, and compare with what was acknowledged by then.

import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isCheckpointError } from "../../src/index.ts";
import { recordingPort, type CrashPoint } from "./crash-recorder.ts";
import { crashStates, type FatedState } from "./crash-states.ts";
import { eventOf, openPlace, runStep, type Place, type Step } from "./script.ts";
import { idsOf, makeFastTempDir, removeTempDir, stateOf, stateText } from "./store-state.ts";

const steps: readonly Step[] = [
  { do: "append", session: "s", ids: ["a1", "a2"] },
  { do: "append", session: "s", ids: ["b1"] },
  { do: "append", session: "s", ids: ["c1", "c2", "c3"], key: "key" },
  { do: "truncate", session: "s", toSeq: 4 },
  { do: "append", session: "s", ids: ["d1"] },
  { do: "fork", source: "s", atSeq: 3, session: "copy" },
  { do: "append", session: "copy", ids: ["e1", "e2"] },
  { do: "delete", session: "copy" },
  { do: "append", session: "copy", ids: ["f1"] },
  { do: "truncate", session: "s", toSeq: 0 },
  { do: "append", session: "s", ids: ["g1", "g2"] },
];

let root: string;
beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => removeTempDir(root));

/** A moment, with the states that callers may have heard of. */
interface Moment {
  readonly point: CrashPoint;
  readonly step: string;
  readonly allowed: readonly string[];
}

/** Runs the steps and records every moment of them. */
async function record(
  store: string,
  beforeStep: (index: number, adopt: (path: string) => void) => void = () => undefined,
  durability: "power" | "process" = "power",
  count: number = steps.length,
): Promise<Moment[]> {
  const place: Place = { adapter: "file", at: store, lockLingerMs: 0, durability };
  let points: CrashPoint[] = [];
  const { port, adopt } = recordingPort(store, (point) => void points.push(point));
  const checkpointer = await openPlace(place, port);
  const reader = await openPlace(place);
  const moments: Moment[] = [];
  let before = stateText(await stateOf(reader));
  for (const [index, step] of steps.slice(0, count).entries()) {
    beforeStep(index, adopt);
    points = [];
    await runStep(checkpointer, step);
    const during = points;
    const after = stateText(await stateOf(reader));
    const name = `${step.do} of step ${index + 1}`;
    for (const point of during) moments.push({ point, step: name, allowed: [before, after] });
    const last = during.at(-1);
    if (last !== undefined) moments.push({ point: last, step: name, allowed: [after] });
    before = after;
  }
  await checkpointer.close();
  await reader.close();
  return moments;
}

interface Tally {
  moments: number;
  states: number;
  violations: string[];
  /** Reported as damage although only unacknowledged data was lost; what was acknowledged is there. */
  refused: number;
}

async function judge(
  { point, step, allowed }: Moment,
  { files, fates }: FatedState,
  tally: Tally,
): Promise<void> {
  const at = join(root, "state");
  rmSync(at, { recursive: true, force: true });
  mkdirSync(at);
  for (const [name, content] of files) writeFileSync(join(at, name), content);
  tally.states += 1;
  const survivor = await openPlace({ adapter: "file", at, durability: "process", lockLingerMs: 0 });
  const where = `${step}, after ${point.call}, ${[...fates].join(" and ")}`;
  try {
    const found = await stateOf(survivor);
    if (!allowed.includes(stateText(found))) {
      tally.violations.push(`${where}: ${stateText(found)}, allowed ${allowed.join(" or ")}`);
    }
    for (const [session, ids] of Object.entries(found)) {
      const head = await survivor.append(session, [eventOf("z")]);
      if (head !== ids.length + 1) tally.violations.push(`${where}: continued at ${head}`);
    }
    await stateOf(survivor);
  } catch (error) {
    // Zeros in the middle look like damage to what was acknowledged, and nobody can tell.
    if (!fates.has("zeros before the end")) tally.violations.push(`${where}: ${String(error)}`);
    else await judgeRefused(survivor, where, allowed, tally);
  } finally {
    await survivor.close();
  }
}

/** What was acknowledged can be read, up to the damage that stands behind it. */
async function judgeRefused(
  survivor: Awaited<ReturnType<typeof openPlace>>,
  where: string,
  allowed: readonly string[],
  tally: Tally,
): Promise<void> {
  tally.refused += 1;
  const found: Record<string, string[]> = {};
  for (const { id } of await survivor.list()) {
    const ids: string[] = (found[id] = []);
    try {
      for await (const { event } of survivor.read(id)) ids.push(event.id);
    } catch (error) {
      if (!isCheckpointError(error, "CORRUPT_LOG"))
        tally.violations.push(`${where}: ${String(error)}`);
    }
  }
  if (!allowed.includes(stateText(found))) {
    tally.violations.push(`${where}: ${stateText(found)} before the damage`);
  }
}

async function judgeAll(name: string, moments: readonly Moment[]): Promise<Tally> {
  const tally: Tally = { moments: moments.length, states: 0, violations: [], refused: 0 };
  const seen = new Set<string>();
  for (const moment of moments) {
    for (const state of crashStates(moment.point)) {
      const contents = [...state.files].map(
        ([file, bytes]) => `${file} ${bytes.toString("base64")}`,
      );
      const key = JSON.stringify([moment.allowed, contents.toSorted()]);
      if (seen.has(key)) continue;
      seen.add(key);
      await judge(moment, state, tally);
    }
  }
  console.log(
    `power cuts ${name}: ${tally.moments} moments, ${tally.states} states, ` +
      `${tally.violations.length} violations, ${tally.refused} refused as damaged behind what was ` +
      "acknowledged",
  );
  expect(tally.states).toBeGreaterThan(100);
  return tally;
}

test("a power cut at any moment of ordinary changes", async () => {
  const { violations } = await judgeAll("file", await record(join(root, "store")));
  expect(violations.slice(0, 20)).toEqual([]);
});

test("a power cut at any moment of takeovers and repairs", async () => {
  const store = join(root, "taken");
  const moments = await record(store, (index, adopt) => {
    // Before every step somebody died, and in every other one while appending.
    for (const session of ["s", "copy"]) {
      const lock = join(store, `${session}.lock`);
      mkdirSync(lock, { recursive: true });
      mkdirSync(join(store, `${session}.owner`, "0123456789abcdef"), { recursive: true });
      utimesSync(lock, 1_000, 1_000);
    }
    if (index % 2 === 0) return;
    const path = join(store, "s.jsonl");
    const torn = Buffer.concat([readFileSync(path), Buffer.from('{"seq":9,"ts":"2026-01-31T')]);
    writeFileSync(path, torn);
    adopt(path);
  });
  const { violations } = await judgeAll("file, taking over", moments);
  expect(violations.slice(0, 20)).toEqual([]);
});

test("a power cut does cost something without syncs, so the method sees what it looks for", async () => {
  const moments = await record(join(root, "unsynced"), undefined, "process", 2);
  const { violations } = await judgeAll("file, durability process (no promise)", moments);
  expect(violations.length).toBeGreaterThan(50);
});

test("reading the recorded store gives what was written", async () => {
  const reader = await openPlace({ adapter: "file", at: join(root, "store") });
  expect(await idsOf(reader, "s")).toEqual(["g1", "g2"]);
  await reader.close();
});
