import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { finish, isStopped, startChild, until, type Child } from "./children.ts";
import type { Fault } from "./fault-plan.ts";
import { readLedger } from "./ledger.ts";
import { allowedOutcomes, answerOf, outcomeText, type Answer } from "./model.ts";
import type { Script, ScriptNote } from "./run-script.ts";
import { prepareStore } from "./scenarios.ts";
import { eventOf, openPlace, runStep, type Step } from "./script.ts";
import { ageLocks, leftovers, stateOf } from "./store-state.ts";

/** What stopping owners came to. */
export interface SlowTally {
  points: number;
  acknowledged: number;
  refused: number;
  /** Outcomes that no order of the changes gives: something was lost, doubled or spliced. */
  wrong: number;
}

/** What the rival does while the owner sleeps: at the first stop, and at the second. */
const rivalSteps: readonly Step[] = [
  { do: "append", session: "s", ids: ["r1", "r2"] },
  { do: "append", session: "s", ids: ["r3"] },
];

function fileNameOf(text: string): string {
  return text.replaceAll(/[^a-z0-9]+/gi, "-");
}

/** Builds the store that every owner starts from. */
export async function prepareTemplate(root: string): Promise<void> {
  const writer = await openPlace({ adapter: "file", at: join(root, "template") });
  await prepareStore(writer);
  await writer.close();
}

/** The calls of the file system that a step makes. */
export async function callsOf(root: string, step: Step): Promise<readonly string[]> {
  const at = join(root, fileNameOf(`dry ${JSON.stringify(step)}`));
  cpSync(join(root, "template"), at, { recursive: true });
  const script = scriptFor(at, step, [{ at: 0, act: "stop", counts: "all" }]);
  await finish(startChild("run-script", script));
  const last = readLedger<ScriptNote>(script.ledger).at(-1);
  return last !== undefined && "done" in last ? last.done : [];
}

function scriptFor(at: string, step: Step, faults: readonly Fault[]): Script {
  const place = { adapter: "file", at, lockLingerMs: 0 } as const;
  return { place, ledger: `${at}.ledger`, steps: [step], faults };
}

/** Lets an owner stop at the faults' calls, changes the session meanwhile, and judges the outcome. */
export async function stopAt(
  root: string,
  step: Step,
  faults: readonly Fault[],
  where: string,
  tally: SlowTally,
): Promise<void> {
  const at = join(root, fileNameOf(where));
  cpSync(join(root, "template"), at, { recursive: true });
  const script = scriptFor(at, step, faults);
  const owner = startChild("run-script", script);
  let heard: readonly Answer[];
  try {
    heard = await changeAtStops(at, owner, script.ledger);
    await finish(owner);
  } finally {
    owner.kill("SIGKILL");
  }
  const note = readLedger<ScriptNote>(script.ledger).find((entry) => "step" in entry);
  const late = note === undefined ? "no answer" : "error" in note ? note.error : note.result;
  tally.points += 1;
  tally[typeof late === "string" ? "refused" : "acknowledged"] += 1;

  const reader = await openPlace({ adapter: "file", at });
  try {
    const outcome = outcomeText(await stateOf(reader), heard, late);
    const allowed = await allowedOutcomes(step, rivalSteps, late);
    const wrong = /UNTYPED|no answer/.test(String(late)) || !allowed.includes(outcome);
    if (wrong) throw new Error(`met ${outcome}, allowed\n${[...new Set(allowed)].join("\n")}`);
    await reader.append("s", [eventOf("z")]);
    await stateOf(reader);
    await reader.close();
    expect(leftovers(at)).toEqual([]);
  } catch (error) {
    tally.wrong += 1;
    const detail = error instanceof Error ? error.message : String(error);
    throw new Error(`stopped at ${where}: ${detail}`, { cause: error });
  } finally {
    await reader.close();
  }
}

async function changeAtStops(at: string, owner: Child, ledger: string): Promise<Answer[]> {
  const rival = await openPlace({ adapter: "file", at, lockLingerMs: 60 });
  const heard: Answer[] = [];
  let over = false;
  void owner.exit.then(() => void (over = true));
  const hasStopped = (times: number): boolean => {
    const stops = readLedger<ScriptNote>(ledger).filter((note) => "stopping" in note);
    return stops.length >= times && isStopped(owner);
  };
  try {
    for (const [index, step] of rivalSteps.entries()) {
      await until(() => over || hasStopped(index + 1), `stop ${index + 1}`);
      ageLocks(at);
      heard.push(await answerOf(() => runStep(rival, step)));
      owner.kill("SIGCONT");
    }
    return heard;
  } finally {
    await rival.close();
  }
}
