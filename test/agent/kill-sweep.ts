import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createLiteAgent, extractiveCompactor, type LiteAgent } from "../../agent/index.ts";
import type { Checkpointer } from "../../src/index.ts";
import { inParallel, startChild } from "../processes/children.ts";
import { readLedger } from "../processes/ledger.ts";
import { ageLocks } from "../processes/store-state.ts";
import {
  damageIn,
  filesIn,
  modelOf,
  openStore,
  putProject,
  turns,
  workdirIn,
  type Files,
  type StorePlace,
} from "./scene.ts";
import type { ChildNote, ChildOrder, Kill, Task } from "./session-child.ts";

/** Every point of every sweep; otherwise a number of them, evenly spread over all calls. */
const soak = process.env["SOAK"] === "1";

/** What a person sees of a session: files, and the conversation. */
export interface Look {
  readonly files: Files;
  readonly messages: string;
}

/** A store and a working directory that hold a session of three turns, and what it looked like after each. */
export interface Template {
  readonly directory: string;
  readonly place: StorePlace;
  readonly sessionId: string;
  /** Before the first turn, and after each. */
  readonly looks: readonly Look[];
  /** Of the prompts. */
  readonly seqs: readonly number[];
}

/** What sweeps came to. */
export interface Tally {
  points: number;
  old: number;
  new: number;
}

/** Works on a copy of a template, or on what a killed process left of one. */
export interface Scene extends AsyncDisposable {
  readonly agent: LiteAgent;
  readonly store: Checkpointer;
  readonly look: () => Promise<Look>;
  /** Sessions of the store beside the one it is about. */
  readonly branches: () => Promise<string[]>;
}

/** Opens a directory of these tests with an agent that resumes the session unless told otherwise. */
export async function openScene(
  directory: string,
  { place, sessionId }: Pick<Template, "place" | "sessionId">,
  { resume = true }: { readonly resume?: boolean } = {},
): Promise<Scene> {
  ageLocks(directory);
  const store = await openStore(directory, place);
  const workdir = workdirIn(directory);
  const agent = createLiteAgent({
    model: modelOf(turns.map(({ calls }) => calls)),
    modelName: "scripted",
    workdir,
    checkpointer: store,
    compactor: extractiveCompactor(),
  });
  const close = async (): Promise<void> => {
    await agent.close();
    await store.close();
  };
  try {
    if (resume) await agent.resume(sessionId);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    agent,
    store,
    look: async () => ({
      files: filesIn(workdir),
      messages: JSON.stringify(await agent.messages()),
    }),
    branches: async () => (await store.list()).map(({ id }) => id).filter((id) => id !== sessionId),
    [Symbol.asyncDispose]: close,
  };
}

/** Runs turns of the session of these tests, and keeps what it looked like. */
export async function makeTemplate(
  root: string,
  name: string,
  place: StorePlace,
  turnCount: number = turns.length,
): Promise<Template> {
  const directory = join(root, `${name} template`);
  const workdir = workdirIn(directory);
  mkdirSync(workdir, { recursive: true });
  putProject(workdir);
  await using scene = await openScene(directory, { place, sessionId: "" }, { resume: false });
  const { agent } = scene;
  const looks = [await scene.look()];
  for (const { prompt } of turns.slice(0, turnCount)) {
    await agent.send(prompt);
    looks.push(await scene.look());
  }
  const checkpoints = await agent.listCheckpoints(agent.sessionId);
  const seqs = checkpoints.map(({ seq }) => seq);
  return { directory, place, sessionId: agent.sessionId, looks, seqs };
}

/** A task that is killed at each of its calls. */
export interface Sweep {
  readonly name: string;
  readonly root: string;
  readonly template: Template;
  readonly task: Task;
  /** At how many points, unless SOAK=1 asks for all. */
  readonly most: number;
}

/** Kills a process before each of its calls, and in the middle of what it writes, and has what is left examined. */
export async function killAtEachCall(
  wanted: Sweep,
  tally: Tally,
  examine: (left: Left) => Promise<"old" | "new">,
): Promise<void> {
  const { name, root, template, task } = wanted;
  const { note } = await runTask(root, `${name} dry`, template, task, null);
  if (note === null) throw new Error(`${name}: the task does not end by itself`);
  const points = pointsOf(note, wanted);
  let survivors = 0;
  await inParallel(points, 3, async (kill) => {
    const calls = kill.what === "file" ? note.files : note.store;
    const where = `${name}: ${kill.act} at ${kill.what} call ${kill.at} (${calls[kill.at - 1]})`;
    const left = await runTask(root, where, template, task, kill);
    const state = await examine(left);
    if (!left.killed) {
      survivors += 1;
      expect(state, `${where}: done`).toBe("new");
    }
    tally.points += 1;
    tally[state] += 1;
    rmSync(left.directory, { recursive: true });
  });
  // The lock of a file store is taken and let go by the clock, so that one run makes a few calls less than another.
  expect(survivors, name).toBeLessThan(points.length / 4);
}

/** What may be left of a task, resumed: all of it, or nothing. */
export interface TwoStates {
  readonly old: Look;
  readonly new: Look;
  /** More that has to hold. */
  readonly examine: (scene: Scene, where: string, isNew: boolean) => Promise<void>;
}

/** Looks at what a killed process left; fails for anything but the old and the new state. */
export function eitherOf(
  template: Pick<Template, "place" | "sessionId">,
  states: TwoStates,
): (left: Left) => Promise<"old" | "new"> {
  return async ({ directory, where }) => {
    await using scene = await openScene(directory, template).catch((error: unknown) => {
      throw new Error(`${where}: ${String(error)}`, { cause: error });
    });
    const { agent, store, look } = scene;
    const found = await look();
    const isNew = JSON.stringify(found) === JSON.stringify(states.new);
    expect(found, where).toEqual(isNew ? states.new : states.old);
    const head = await store.head(template.sessionId);
    await agent.resume(template.sessionId);
    expect(await store.head(template.sessionId), `${where}: resumed twice`).toBe(head);
    expect(await damageIn(store), where).toEqual([]);
    await states.examine(scene, where, isNew);
    return isNew ? "new" : "old";
  };
}

function pointsOf({ files, store }: ChildNote, { most, template }: Sweep): Kill[] {
  // Behind a call the disk is as it is before the next one, except after the last.
  const around = (what: Kill["what"], calls: readonly string[]): Kill[] =>
    calls.flatMap((call, index): Kill[] => {
      const at = index + 1;
      const torn = what === "file" && /^(?:write|writeFile|appendFile)$/.test(call);
      return [
        { what, at, act: "kill" },
        ...(torn ? [{ what, at, act: "kill-torn" } as const] : []),
        ...(what === "store" || at === calls.length
          ? [{ what, at, act: "kill-after" } as const]
          : []),
      ];
    });
  // A database's own calls are not seen: there the calls of the checkpointer count.
  const storeKills = template.place.adapter === "file" ? [] : around("store", store);
  const points = [...around("file", files), ...storeKills];
  const step = soak ? 1 : Math.max(1, points.length / most);
  return points.filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step));
}

/** What a child left: the place, whether it was killed, and what it noted before. */
export interface Left {
  /** Names the point in messages. */
  readonly where: string;
  readonly directory: string;
  readonly killed: boolean;
  readonly note: ChildNote | null;
}

/** Runs a task in a process of its own on a copy of a template. */
export async function runTask(
  root: string,
  where: string,
  { directory: from, place, sessionId }: Template,
  task: Task,
  kill: Kill | null,
): Promise<Left> {
  const directory = join(root, where.replaceAll(/[^a-z0-9]+/gi, "-"));
  cpSync(from, directory, { recursive: true, preserveTimestamps: true });
  const ledger = `${directory}.ledger`;
  ageLocks(directory);
  const order: ChildOrder = { directory, ledger, place, sessionId, task, kill };
  const { signal, code, stderr } = await startChild("../agent/session-child", order).exit;
  expect(stderr, where).toBe("");
  if (signal === null) expect(code, where).toBe(0);
  const [note = null] = readLedger<ChildNote>(ledger);
  return { where, directory, killed: signal === "SIGKILL", note };
}
