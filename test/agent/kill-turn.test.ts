// Goal: whatever call of a turn or a compaction a process dies at, the session can be resumed, each file is as before
// or after the call that changed it, and everything before the turn can be had again. Method: as in
// kill-restore.test.ts.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLiteAgent } from "../../agent/index.ts";
import { reapChildren } from "../processes/children.ts";
import { makeFastTempDir, removeTempDir } from "../processes/store-state.ts";
import {
  eitherOf,
  killAtEachCall,
  makeTemplate,
  openScene,
  type Left,
  type Look,
  type Scene,
  type Tally,
  type Template,
} from "./kill-sweep.ts";
import {
  damageIn,
  eventsOf,
  filesIn,
  modelOf,
  openStore,
  turns,
  workdirIn,
  type Files,
  type StorePlace,
} from "./scene.ts";

let root: string;
const tally: Tally = { points: 0, old: 0, new: 0 };
const places: ReadonlyArray<{ readonly name: string; readonly place: StorePlace }> = [
  { name: "file", place: { adapter: "file" } },
  { name: "SQLite", place: { adapter: "sqlite" } },
];

beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => {
  reapChildren();
  removeTempDir(root);
  console.log(
    `kill sweep of turns and compactions: ${tally.points} points, ${tally.old} ended before the end`,
  );
});

test.each(places)(
  "$name: a turn survives a SIGKILL at each of its calls",
  async ({ name, place }) => {
    const template = await makeTemplate(root, `${name} turn`, place, 2);
    const steps = await stepsOf(template);
    const task = { do: "turn", turn: 2 } as const;
    const wanted = { name: `${name} turn`, root, template, task, most: 40 } as const;
    await killAtEachCall(wanted, tally, (left) => examineTurn(left, template, steps));
  },
);

/** The files after each tool call of the last turn, and before the first. */
async function stepsOf({ directory, place, sessionId }: Template): Promise<Files[]> {
  const { prompt = "", calls = [] } = turns[2] ?? {};
  const steps: Files[] = [];
  for (let count = 0; count <= calls.length; count += 1) {
    const copy = `${directory} ${count}`;
    cpSync(directory, copy, { recursive: true });
    const store = await openStore(copy, place);
    const model = modelOf([calls.slice(0, count)]);
    const workdir = workdirIn(copy);
    await using agent = createLiteAgent({ model, modelName: "m", workdir, checkpointer: store });
    await agent.resume(sessionId);
    await agent.send(prompt);
    steps.push(filesIn(workdir));
    await store.close();
  }
  return steps;
}

async function examineTurn(
  { directory, where }: Left,
  template: Template,
  steps: readonly Files[],
): Promise<"old" | "new"> {
  const { sessionId, looks, seqs } = template;
  const [, , before] = looks as readonly [Look, Look, Look];
  await using scene = await openScene(directory, template);
  const { agent, store, look } = scene;
  const known = seqs.length;
  const results = (await eventsOf(store, sessionId)).filter(({ type }) => type === "tool_result");
  const earlier = turns.slice(0, 2).flatMap(({ calls }) => calls).length;
  const done = results.slice(earlier).filter((event) => !("isError" in event)).length;
  const found = filesIn(workdirIn(directory));
  // A call that was interrupted may have done all it was to do.
  const possible = [steps[done], steps[done + 1]].map((step) => JSON.stringify(step));
  expect(possible, where).toContain(JSON.stringify(found));
  expect(await damageIn(store), where).toEqual([]);

  const checkpoints = await agent.listCheckpoints(sessionId);
  const place = checkpoints[known];
  if (place !== undefined) await agent.restore(sessionId, place.seq);
  expect(await look(), `${where}: back to before the prompt`).toEqual(before);
  return done === steps.length - 1 ? "new" : "old";
}

test.each(places)(
  "$name: a compaction survives a SIGKILL at each of its calls",
  async ({ name, place }) => {
    const template = await makeTemplate(root, `${name} compaction`, place);
    const [, , , present] = template.looks as readonly [Look, Look, Look, Look];
    const copy = join(root, `${name} compacted`);
    cpSync(template.directory, copy, { recursive: true });
    const compacted = await compactedLook(copy, template);
    const task = { do: "compact" } as const;
    const wanted = { name: `${name} compaction`, root, template, task, most: 10 } as const;
    const states = {
      old: present,
      new: compacted,
      examine: async ({ agent, look }: Scene, where: string) => {
        for await (const _event of agent.compact()) continue;
        expect(await look(), `${where}: once more`).toEqual(compacted);
      },
    };
    await killAtEachCall(wanted, tally, eitherOf(template, states));
  },
);

async function compactedLook(directory: string, template: Template): Promise<Look> {
  await using scene = await openScene(directory, template);
  for await (const _event of scene.agent.compact()) continue;
  return await scene.look();
}
