import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isCheckpointError } from "../../src/index.ts";
import { changes, fork, prepareSessions, type Change } from "../changes.ts";
import { Violation } from "../check.ts";
import { withAnother, type Context, type OwnedContext } from "../context.ts";
import { withProcess } from "../processes/use-processes.ts";
import { missingOf } from "../requirements.ts";
import { numbered, type Handle } from "../session-state.ts";
import { contentOf, contentText, type StoreContent } from "../store-content.ts";
import { createDisk, type CrashState, type Files } from "./crash-states.ts";
import type { FileChange } from "./record-file-system.ts";

/** What a change did to the disk, and the states between which it led. */
interface Recorded {
  readonly change: Change;
  readonly base: Files;
  readonly files: readonly FileChange[];
  readonly before: StoreContent;
  readonly after: StoreContent;
}

/**
 * Cuts the power at every moment of every change: records what a process does to its files, builds
 * every state that is legal at each moment, puts it in place, opens the store and compares. What was
 * acknowledged is there, and the state is the old or the new one.
 */
export async function cutPower(context: Context): Promise<void> {
  const tally = { states: 0, refused: 0 };
  const { manifest, fixture } = context;
  for (const change of [...changes, fork]) {
    if (missingOf(change.requires ?? [], manifest, fixture) !== undefined) continue;
    await withAnother(context, async (store) =>
      judgeAll(store, await record(store, change), tally),
    );
  }
  context.note(
    `${tally.states} states after power cuts, ${tally.refused} refused as damaged behind what was acknowledged`,
  );
  context.check.ok(tally.states > 0, "changes go through node:fs, so that power cuts can be shown");
}

async function record(store: OwnedContext, change: Change): Promise<Recorded> {
  const directory = resolve(store.fixture.directory ?? "");
  const handle = await store.open();
  await prepareSessions(handle);
  const before = await contentOf(handle);
  await store.closeAll();
  const base = filesIn(directory);
  const files = await withProcess(store.fixture, { hooked: true }, async (remote) => {
    await remote.record(directory);
    await remote.open();
    await change.run(remote.handle);
    return remote.recorded();
  });
  const after = await contentOf(await store.open());
  await store.closeAll();
  return { change, base, files, before, after };
}

async function judgeAll(
  store: OwnedContext,
  { change, base, files, before, after }: Recorded,
  tally: { states: number; refused: number },
): Promise<void> {
  const disk = createDisk(base);
  const seen = new Set<string>();
  for (const [index, one] of files.entries()) {
    disk.apply(one);
    const last = index === files.length - 1;
    for (const state of disk.states()) {
      const allowed = last ? [after] : [before, after];
      const key = JSON.stringify([
        last,
        [...state.files].map(([path, bytes]) => [path, bytes.toString("base64")]),
      ]);
      if (seen.has(key)) continue;
      seen.add(key);
      tally.states += 1;
      restore(resolve(store.fixture.directory ?? ""), state.files);
      const where = `${change.name}, power cut after ${one.kind} ${index + 1} of ${files.length}, ${[...state.fates].join(" and ")}`;
      if (!(await judge(store, state, allowed, where))) tally.refused += 1;
      await store.closeAll();
    }
  }
}

/** Whether the state was read whole; damage is allowed behind what was acknowledged, where it may be. */
async function judge(
  store: OwnedContext,
  { fates }: CrashState,
  allowed: readonly StoreContent[],
  where: string,
): Promise<boolean> {
  const handle = await store.reopen();
  const texts = allowed.map(contentText);
  try {
    const found = await contentOf(handle);
    store.check.includes(texts, contentText(found), where);
    await goOn(handle, found, where);
    return true;
  } catch (error) {
    // Zeros in the middle look like damage to what was acknowledged, and nobody can tell.
    const tells = fates.has("zeros before the end") && isCheckpointError(error, "CORRUPT_LOG");
    if (!tells)
      throw error instanceof Violation
        ? error
        : new Violation(`${where}: ${String(error)}`, { cause: error });
    store.check.includes(
      texts,
      contentText(await readableOf(handle)),
      `${where}, before the damage`,
    );
    return false;
  }
}

async function goOn(handle: Handle, found: StoreContent, where: string): Promise<void> {
  for (const [id, events] of Object.entries(found)) {
    const head = await handle.append(id, numbered(99, 99));
    if (head !== events.length + 1) throw new Violation(`${where}: ${id} goes on at ${head}`);
  }
}

/** What can be read of each session before its damage. */
async function readableOf(handle: Handle): Promise<StoreContent> {
  const content: Record<string, string[]> = {};
  for (const { id } of await handle.list()) {
    const events: string[] = (content[id] = []);
    try {
      for await (const { event } of handle.read(id)) events.push(JSON.stringify(event));
    } catch (error) {
      if (!isCheckpointError(error, "CORRUPT_LOG")) throw error;
    }
  }
  return content;
}

function filesIn(directory: string): Files {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path, readFileSync(path)]));
}

/** Makes `directory` hold these files and nothing else. */
function restore(directory: string, files: Files): void {
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
  for (const [path, bytes] of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
}
