// Goal: whatever call of a restore a process dies at, the next one that resumes the session finds files and
// conversation as they were, or both as they were to be, and can go forward again. Method: a child kills itself at
// each call that changes something, in the working directory and in the store, and this process looks at what is left.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { RestoreOptions } from "../../agent/index.ts";
import { reapChildren } from "../processes/children.ts";
import { makeFastTempDir, removeTempDir } from "../processes/store-state.ts";
import {
  eitherOf,
  killAtEachCall,
  makeTemplate,
  openScene,
  runTask,
  type Look,
  type Scene,
  type Sweep,
  type Tally,
  type Template,
  type TwoStates,
} from "./kill-sweep.ts";
import type { StorePlace } from "./scene.ts";
import type { Kill, Task } from "./session-child.ts";

let root: string;
const tally: Tally = { points: 0, old: 0, new: 0 };

beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => {
  reapChildren();
  removeTempDir(root);
  console.log(
    `kill sweep of restore: ${tally.points} points, ${tally.old} left the old state, ${tally.new} the new one`,
  );
});

interface Variant {
  readonly name: string;
  readonly place: StorePlace;
  readonly options: RestoreOptions;
  readonly most: number;
}

const file: StorePlace = { adapter: "file" };
const sqlite: StorePlace = { adapter: "sqlite" };

const variants: readonly Variant[] = [
  { name: "file", place: file, options: {}, most: 40 },
  { name: "file, not kept", place: file, options: { keep: false }, most: 10 },
  { name: "file, conversation only", place: file, options: { files: false }, most: 10 },
  {
    name: "file, conversation only, not kept",
    place: file,
    options: { files: false, keep: false },
    most: 10,
  },
  { name: "file, files only", place: file, options: { conversation: false }, most: 10 },
  {
    name: "file to survive power cuts",
    place: { ...file, durability: "power" },
    options: {},
    most: 10,
  },
  { name: "file, sealed", place: { ...file, ring: "old" }, options: {}, most: 10 },
  { name: "SQLite", place: sqlite, options: {}, most: 60 },
  { name: "SQLite, not kept", place: sqlite, options: { keep: false }, most: 10 },
  { name: "SQLite, conversation only", place: sqlite, options: { files: false }, most: 10 },
  { name: "SQLite, files only", place: sqlite, options: { conversation: false }, most: 10 },
  { name: "SQLite, sealed", place: { ...sqlite, ring: "old" }, options: {}, most: 10 },
];

test.each(variants)("$name: a restore survives a SIGKILL at each of its calls", async (variant) => {
  const { name, place, options, most } = variant;
  const template = await makeTemplate(root, name, place);
  const task = restoreOf(template, options);
  const states = await statesOf(name, template, options);
  await killAtEachCall({ name, root, template, task, most }, tally, eitherOf(template, states));
});

/** A restore that is killed, and killed again while it is finished. */
const doubleKills: ReadonlyArray<Variant & { readonly first: Kill["act"]; readonly at: string }> = [
  { ...again("file, half of the files swapped", file, {}, 10), first: "kill", at: "link" },
  { ...again("SQLite, half of the files swapped", sqlite, {}, 10), first: "kill", at: "link" },
  { ...again("SQLite, not cut yet", sqlite, {}, 10), first: "kill-after", at: "fork" },
  {
    ...again("SQLite, cut, not kept", sqlite, { keep: false }, 10),
    first: "kill-after",
    at: "truncate",
  },
  {
    ...again("SQLite, cut, conversation only, not kept", sqlite, { files: false, keep: false }, 10),
    first: "kill-after",
    at: "truncate",
  },
  {
    ...again("SQLite, files only", sqlite, { conversation: false }, 10),
    first: "kill",
    at: "link",
  },
];

function again(name: string, place: StorePlace, options: RestoreOptions, most: number): Variant {
  return { name: `again, ${name}`, place, options, most };
}

test.each(doubleKills)(
  "$name: a resume that finishes a restore survives a SIGKILL at each of its calls",
  async ({ name, place, options, most, first, at }) => {
    const template = await makeTemplate(root, name, place);
    const states = await statesOf(name, template, options);
    const task = restoreOf(template, options);
    const { note } = await runTask(root, `${name}, counted`, template, task, null);
    const what = at === "link" ? "file" : "store";
    const calls = (what === "file" ? note?.files : note?.store) ?? [];
    const places = calls.flatMap((call, index) => (call === at ? [index + 1] : []));
    const kill: Kill = { what, at: places[places.length >> 1] ?? 0, act: first };
    const { directory, killed } = await runTask(root, `${name}, once`, template, task, kill);
    expect(killed, name).toBe(true);
    const half: Template = { ...template, directory };
    const wanted: Sweep = { name, root, template: half, task: { do: "resume" }, most };
    const examine = eitherOf(template, states);
    await killAtEachCall(wanted, tally, async (left) => {
      // What was to be done was durable before the first kill.
      expect(await examine(left), left.where).toBe("new");
      return "new";
    });
  },
);

function restoreOf({ seqs }: Template, options: RestoreOptions): Task {
  return { do: "restore", seq: seqs[1] ?? 0, options };
}

/** What a restore leads from and to. */
async function statesOf(
  name: string,
  template: Template,
  options: RestoreOptions,
): Promise<TwoStates> {
  const [, past, , present] = template.looks as readonly [Look, Look, Look, Look];
  const { files = true, conversation = true } = options;
  const task = restoreOf(template, options);
  const left = await runTask(root, `${name} whole`, template, task, null);
  await using scene = await openScene(left.directory, template);
  const done = await scene.look();
  expect(done.files, name).toEqual(files ? past.files : present.files);
  if (conversation) expect(done.messages, name).toBe(past.messages);
  return {
    old: present,
    new: done,
    examine: (opened, where, isNew) =>
      isNew
        ? goForward(opened, template, options, where)
        : startOver(opened, template, options, done, where),
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
