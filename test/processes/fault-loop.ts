import { cpSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createFaultyPort, type Fault } from "./fault-plan.ts";
import type { PortName } from "./faulty-port.ts";
import { answerOf, type Answer } from "./model.ts";
import { prepareStore, type Scenario } from "./scenarios.ts";
import { eventOf, openPlace, runStep, type Place } from "./script.ts";
import {
  ageLocks,
  leftovers,
  removeTempDir,
  stateOf,
  stateText,
  type StoreState,
} from "./store-state.ts";

/** What a fault loop came to. */
export interface FaultTally {
  faults: number;
  /** The change succeeded all the same. */
  absorbed: number;
  refused: number;
  unknown: number;
}

/** A scenario with a store to start from, both states, and the calls between them. */
export interface Ground {
  readonly scenario: Scenario;
  readonly template: string;
  readonly before: StoreState;
  readonly after: StoreState;
  readonly calls: readonly PortName[];
}

/** Descriptors of this process that point into a directory; none where `/proc` is missing. */
export function descriptorsIn(directory: string): string[] {
  if (process.platform !== "linux") return [];
  const targets = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return targets.filter((target) => target.startsWith(directory));
}

async function inspect(place: Place): Promise<StoreState> {
  const reader = await openPlace(place);
  try {
    return await stateOf(reader);
  } finally {
    await reader.close();
  }
}

/** Runs a scenario once without faults. */
export async function prepareGround(root: string, scenario: Scenario): Promise<Ground> {
  const template = join(root, "template");
  removeTempDir(template);
  const writer = await openPlace({ adapter: "file", at: template });
  await prepareStore(writer);
  await writer.close();
  scenario.damage?.(template);
  const before = await inspect({ adapter: "file", at: template });
  const at = join(root, "dry");
  removeTempDir(at);
  cpSync(template, at, { recursive: true });
  const { port, arm, counted } = createFaultyPort([{ at: 0, act: "fail", counts: "all" }]);
  const checkpointer = await openPlace({ adapter: "file", at }, port);
  arm();
  await runStep(checkpointer, scenario.step);
  await checkpointer.close();
  const after = await inspect({ adapter: "file", at });
  return { scenario, template, before, after, calls: counted };
}

/** Which errors a call can give that are worth a try. */
export function codesFor(name: PortName): readonly string[] {
  if (name === "openSync") return ["EIO", "EMFILE", "EACCES", "ENOSPC"];
  if (name === "writeSync" || name === "copyFile") return ["EIO", "ENOSPC"];
  if (/^(mkdir|rename|unlink|rmdir|stat)/.test(name)) return ["EIO", "EACCES"];
  return ["EIO"];
}

/** Runs a scenario with faults and checks all that must hold, whatever happens. */
export async function runFaulty(
  root: string,
  { scenario, template, before, after }: Ground,
  faults: readonly Fault[],
  tally: FaultTally,
): Promise<void> {
  const { name, step } = scenario;
  const where = `${name}: ${JSON.stringify(faults)}`;
  const at = join(root, "store");
  removeTempDir(at);
  cpSync(template, at, { recursive: true, preserveTimestamps: true });
  const place: Place = { adapter: "file", at };
  const faulty = createFaultyPort(faults);
  const checkpointer = await openPlace(place, faulty.port);
  try {
    faulty.arm();
    const answer = await answerOf(() => runStep(checkpointer, step));
    faulty.disarm();
    if (faulty.fired() > 0) tally.faults += 1;
    const found = await inspect(place);
    expect(found, `${where} answered ${answer}`).toEqual(
      expectedState(answer, found, before, after),
    );
    if (typeof answer !== "string") tally.absorbed += 1;
    else if (answer === "OUTCOME_UNKNOWN") tally.unknown += 1;
    else tally.refused += 1;

    // A lock whose removal failed goes stale like any other.
    ageLocks(at);
    const session = "session" in step ? step.session : "";
    const known = found[session] ?? [];
    expect(await checkpointer.append(session, [eventOf("z")]), where).toBe(known.length + 1);
    expect((await inspect(place))[session], where).toEqual([...known, "z"]);
  } finally {
    faulty.disarm();
    await checkpointer.close();
  }
  expect(leftovers(at), where).toEqual([]);
  expect(descriptorsIn(at), where).toEqual([]);
}

function expectedState(
  answer: Answer,
  found: StoreState,
  before: StoreState,
  after: StoreState,
): unknown {
  if (typeof answer !== "string") return after;
  if (answer === "IO_FAILED" || answer === "BUSY") return before;
  const landed = stateText(found) === stateText(after);
  return answer === "OUTCOME_UNKNOWN" ? (landed ? after : before) : `no answer like ${answer}`;
}
