import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { createServer, type Server } from "node:net";
import { CheckpointError } from "../../src/index.ts";
import type { Defects } from "./defects.ts";

/** Milliseconds until a writer gives up. */
const patience = 3_000;

/** Milliseconds after which an old lock is taken over, where locks are files. */
const staleMs = 700;

/**
 * Runs `work` while nobody else does. A good lock is a name in the kernel that dies with its process;
 * the broken ones are files.
 */
export async function withLock<T>(path: string, defects: Defects, work: () => T): Promise<T> {
  if (defects.takesNoLock === true) return work();
  if (defects.locksForEver === true || defects.takesOldLocks === true) {
    return withLockFile(path, defects, work);
  }
  const name = `\0${createHash("sha256").update(path).digest("hex").slice(0, 40)}`;
  const server = await until(() => listen(name));
  try {
    return work();
  } finally {
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  }
}

function listen(name: string): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(name, () => resolve(server));
  });
}

async function withLockFile<T>(path: string, defects: Defects, work: () => T): Promise<T> {
  await until(() => {
    try {
      fs.mkdirSync(path);
      return true;
    } catch {
      const old =
        Date.now() - (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (defects.takesOldLocks === true && old > staleMs) release(path);
      return null;
    }
  });
  try {
    return work();
  } finally {
    release(path);
  }
}

/** Removes a lock, whoever's it is by now. */
function release(path: string): void {
  try {
    fs.rmdirSync(path);
  } catch {
    // It goes stale like any other.
  }
}

async function until<T>(attempt: () => Promise<T | null> | T | null): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const got = await attempt();
    if (got !== null) return got;
    if (Date.now() > end) throw new CheckpointError("BUSY", "somebody else writes");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
