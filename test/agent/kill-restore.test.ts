// Goal: whatever call of a restore a process dies at, the next one that resumes the session finds files and
// conversation as they were, or both as they were to be, and can go forward again. Method: a child kills itself at
// each call that changes something, in the working directory and in the store, and this process looks at what is left.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { RestoreOptions } from "../../agent/index.ts";
import { reapChildren } from "../processes/children.ts";
import { makeFastTempDir, removeTempDir } from "../processes/store-state.ts";
import {
  makeTemplate,
  openScene,
  runTask,
  sweep,
  type Look,
  type Scene,
  type Sweep,
  type Tally,
  type Template,
} from "./kill-sweep.ts";
import { type StorePlace } from "./scene.ts";

let root: string;
const tally: Tally = { points: 0, acknowledged: 0, old: 0, new: 0 };

beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => {
  reapChildren();
  removeTempDir(root);
  const { points, acknowledged } = tally;
  console.log(
    `kill sweep of restore: ${points} points (${acknowledged} acknowledged), ${tally.old} left the old state, ` +
      `${tally.new} the new one`,
  );
});

interface Variant {
  readonly name: string;
  readonly place: StorePlace;
  readonly options: RestoreOptions;
  readonly points: Sweep["points"];
}

const file: StorePlace = { adapter: "file" };
const sqlite: StorePlace = { adapter: "sqlite" };

const variants: readonly Variant[] = [
  { name: "file", place: file, options: {}, points: "all" },
  { name: "file, not kept", place: file, options: { keep: false }, points: "commit" },
  { name: "file, conversation only", place: file, options: { files: false }, points: "commit" },
  {
    name: "file, conversation only, not kept",
    place: file,
    options: { files: false, keep: false },
    points: "commit",
  },
  { name: "file, files only", place: file, options: { conversation: false }, points: "commit" },
  {
    name: "file to survive power cuts",
    place: { ...file, durability: "power" },
    options: {},
    points: "commit",
  },
  { name: "file, sealed", place: { ...file, ring: "old" }, options: {}, points: "commit" },
  { name: "SQLite", place: sqlite, options: {}, points: "all" },
  { name: "SQLite, not kept", place: sqlite, options: { keep: false }, points: "commit" },
  { name: "SQLite, conversation only", place: sqlite, options: { files: false }, points: "commit" },
  { name: "SQLite, files only", place: sqlite, options: { conversation: false }, points: "commit" },
  { name: "SQLite, sealed", place: { ...sqlite, ring: "old" }, options: {}, points: "commit" },
];

test.each(variants)("$name: a restore survives a SIGKILL at each of its calls", async (variant) => {
  const template = await makeTemplate(root, variant.name, variant.place);
  const wanted = await sweepOf(variant, template);
  await sweep(wanted, tally);
});

async function sweepOf({ name, options, points }: Variant, template: Template): Promise<Sweep> {
  const { seqs, looks } = template;
  const [, seq = 0] = seqs;
  const [, past, , present] = looks as readonly [Look, Look, Look, Look];
  const { files = true, conversation = true } = options;
  const task = { do: "restore", seq, options } as const;
  const left = await runTask(root, `${name} whole`, template, task, null);
  expect(left.note, name).not.toBeNull();
  await using scene = await openScene(left.directory, template);
  const done = await scene.look();
  expect(done.files, name).toEqual(files ? past.files : present.files);
  if (conversation) expect(done.messages, name).toBe(past.messages);
  return {
    name,
    root,
    template,
    task,
    points,
    old: present,
    new: done,
    examine: (scene, where, isNew) =>
      isNew
        ? goForward(scene, template, options, where)
        : startOver(scene, template, options, done, where),
  };
}

/** Where nothing was intended yet: the same restore again. */
async function startOver(
  { agent, look, branches }: Scene,
  { seqs, sessionId }: Template,
  options: RestoreOptions,
  done: Look,
  where: string,
): Promise<void> {
  expect(await branches(), where).toEqual([]);
  await agent.restore(sessionId, seqs[1] ?? 0, options);
  expect(await look(), `${where}: once more`).toEqual(done);
}

/** Back to where the restore came from, or, where nothing was kept, further back. */
async function goForward(
  { agent, look, branches }: Scene,
  { looks, seqs, sessionId }: Template,
  { files = true, conversation = true, keep = true }: RestoreOptions,
  where: string,
): Promise<void> {
  const [begin, , , present] = looks as readonly [Look, Look, Look, Look];
  expect(await branches(), where).toHaveLength(conversation && keep ? 1 : 0);
  const [branch] = await branches();
  if (files && (branch !== undefined || !conversation)) {
    const id = branch ?? sessionId;
    await agent.resume(id);
    expect((await look()).messages, `${where}: the branch`).toContain(
      present.messages.slice(1, -1),
    );
    const place = (await agent.listCheckpoints(id)).at(-1);
    await agent.restore(id, place?.seq ?? 0, { conversation: false });
    expect((await look()).files, `${where}: forward`).toEqual(present.files);
    return;
  }
  await agent.restore(sessionId, seqs[0] ?? 0);
  expect((await look()).files, `${where}: further back`).toEqual(begin.files);
}
