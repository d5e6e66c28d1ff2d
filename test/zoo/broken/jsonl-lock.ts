import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { CheckpointError } from "../../../src/index.ts";

/** Attempts, a few milliseconds apart, before a session is called busy. */
const attempts = 1_000;

/**
 * Runs `work` while this process holds a lock file that names it. The lock of a process that has ended
 * is taken over.
 *
 * @param anyOwner - the fault: removes the lock at the end whoever holds it by then
 */
export async function withLock<T>(
  path: string,
  anyOwner: boolean,
  work: () => Promise<T>,
): Promise<T> {
  const owner = `${process.pid} ${randomUUID()}`;
  await acquire(path, owner);
  try {
    return await work();
  } finally {
    if (anyOwner || (await ownerOf(path)) === owner) await rm(path, { force: true });
  }
}

async function acquire(path: string, owner: string): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (await create(path, owner)) return;
    const other = await ownerOf(path);
    if (other !== null && hasEnded(other)) await takeAway(path, other);
    else await sleep(1 + Math.random() * 4);
  }
  throw new CheckpointError("BUSY", "Cannot get the lock of the session in time");
}

/** Linked into place with its owner inside, since a lock of nobody could never be taken over. */
async function create(path: string, owner: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, owner, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function ownerOf(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}

function hasEnded(owner: string): boolean {
  const id = Number.parseInt(owner, 10);
  if (Number.isNaN(id)) return false;
  try {
    process.kill(id, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Renamed, so that of two who find the same dead owner one removes it. */
async function takeAway(path: string, owner: string): Promise<void> {
  const mine = `${path}.${randomUUID()}`;
  try {
    await rename(path, mine);
  } catch {
    return;
  }
  if ((await ownerOf(mine)) !== owner) await rename(mine, path);
  else await rm(mine, { force: true });
}
