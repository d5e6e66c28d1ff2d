import { createReadStream } from "node:fs";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { BlockedSession, Fixture } from "../../conformance/fixture.ts";
import type { FilePort } from "../../adapters/file/index.ts";

type Reaches = Pick<Fixture, "storage" | "logFile" | "expireLocks" | "block">;

/** How the suite gets at the files of a file store, and keeps writers out of it. */
export function fileReaches(directory: string): Reaches {
  return {
    storage: "files",
    logFile: (sessionId) => findLog(directory, sessionId),
    expireLocks: () => expireLocks(directory),
    block: (sessionId) => block(directory, sessionId),
  };
}

/** The log whose first line names the session, as docs/format.md says. */
async function findLog(directory: string, sessionId: string): Promise<string> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (name.endsWith(".jsonl") && (await sessionOf(path)) === sessionId) return path;
  }
  throw new Error(`There is no log of ${JSON.stringify(sessionId)}`);
}

async function sessionOf(path: string): Promise<unknown> {
  const file = createReadStream(path, "utf8");
  try {
    for await (const line of createInterface({ input: file })) {
      return (JSON.parse(line) as { id?: unknown }).id;
    }
    return undefined;
  } catch {
    // A log without a readable header is nobody's.
    return undefined;
  } finally {
    file.destroy();
  }
}

/** The lock library goes by the time of the lock's directory. */
async function expire(lock: string): Promise<void> {
  try {
    await utimes(lock, 0, 0);
  } catch (error) {
    // An owner that lingered has given it back since it was listed.
    if ((error as { code?: unknown }).code !== "ENOENT") throw error;
  }
}

async function expireLocks(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.endsWith(".lock")) await expire(join(directory, name));
  }
}

/**
 * Another writer, stuck in the middle of a truncation on a disk that does not answer. When the disk
 * fails at last, the truncation has changed nothing.
 */
async function block(directory: string, sessionId: string): Promise<BlockedSession> {
  const { fileCheckpointer, nodeFilePort } = await import("../../adapters/file/index.ts");
  let failDisk = (): void => undefined;
  let onStuck = (): void => undefined;
  const stuck = new Promise<void>((resolve) => (onStuck = resolve));
  const fsync = (_fd: number, done: (error: Error | null) => void): void => {
    failDisk = () => done(Object.assign(new Error("EIO"), { code: "EIO" }));
    onStuck();
  };
  const port = { ...nodeFilePort, fsync } as FilePort;
  const writer = fileCheckpointer({ dir: directory, port });
  const truncation = writer.truncate(sessionId, 0);
  const failed = truncation.then(
    () => Promise.reject(new Error(`There is nothing to block in ${JSON.stringify(sessionId)}`)),
    () => undefined,
  );
  await Promise.race([stuck, failed]);
  return async () => {
    failDisk();
    await failed;
    await writer.close();
  };
}
