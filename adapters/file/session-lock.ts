import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import lockfile from "proper-lockfile";
import { CheckpointError, quote } from "../../src/index.ts";
import { directoryMode, errorCode, fileMode, unlessMissing, type FilePort } from "./file-port.ts";
import type { SessionFiles } from "./session-files.ts";

/**
 * The right to change one session's log.
 *
 * The lock library only decides who may try: it can let two holders in (a stale lock is taken over by
 * stat, rmdir, mkdir), and its holder may be stopped for longer than the stale limit and wake up in
 * the middle of a change. Ownership makes that harmless. An owner works inside a directory of its
 * own; whoever takes over first moves that directory away, and only then looks at the log. So
 *
 * - a rename out of or into the directory fails for an owner that was replaced, and
 * - an append is acknowledged only if the directory is still there after the write, in which case
 *   every later owner sees the append; and a later owner first gives the log a new inode, so that
 *   a late append lands in a file that nobody opens.
 *
 * Nothing here depends on clocks for safety; docs/decisions/0003-ownership.md has the argument.
 */
export interface Owner {
  /** Ours alone; temporary files go here. */
  readonly directory: string;
  /** The owner before did not release: it died, or it is late. */
  readonly tookOver: boolean;
  /**
   * Known to be replaced: the lock library noticed, or our directory was found missing. Never goes
   * back; the next change has to acquire anew.
   */
  lost: boolean;
  /** Gives everything back. Never throws. */
  release(): Promise<void>;
  /**
   * Gives the lock back and leaves our directory, for an owner that could not finish a takeover: the
   * next one then takes over as well instead of walking in. Never throws.
   */
  abandon(): Promise<void>;
}

/** What acquiring needs to know. */
export interface LockOptions {
  readonly port: FilePort;
  readonly staleMs: number;
  readonly busyTimeoutMs: number;
}

/** A waiting writer looks again after a random time in this range, growing with each try. */
const firstWaitMs = 1;
const longestWaitMs = 25;

/**
 * Waits for the right to change a session.
 *
 * @throws CheckpointError `BUSY` after `busyTimeoutMs`
 */
export async function acquireOwner(
  files: SessionFiles,
  sessionId: string,
  options: LockOptions,
): Promise<Owner> {
  const deadline = Date.now() + options.busyTimeoutMs;
  for (let attempt = 0; ; attempt += 1) {
    const owner = await tryAcquire(files, options);
    if (owner !== null) return owner;
    if (Date.now() >= deadline) {
      const detail = `another writer held it for ${options.busyTimeoutMs} ms`;
      throw new CheckpointError("BUSY", `Cannot change session ${quote(sessionId)}: ${detail}`);
    }
    askForLock(files, options.port);
    const most = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt, 10));
    await sleep(most * (0.5 + Math.random() / 2));
  }
}

/**
 * Whether the owner may still acknowledge. Not being able to tell counts as no: what was written is
 * then looked for by the next owner, which is slower and just as safe.
 */
export function stillOwns(owner: Owner, port: FilePort): boolean {
  owner.lost ||= !exists(port, owner.directory);
  return !owner.lost;
}

/** Whether another writer waits for the lock. */
export function isWanted(files: SessionFiles, port: FilePort): boolean {
  return exists(port, files.want);
}

/** The change was not applied, because another writer took the session over. Worth another try. */
export class LostOwnershipError extends CheckpointError {
  constructor(sessionId: string) {
    const detail = "another writer took over the lock, which had looked abandoned";
    super("BUSY", `Cannot change session ${quote(sessionId)}: ${detail}`);
  }
}

function exists(port: FilePort, path: string): boolean {
  try {
    port.statSync(path);
    return true;
  } catch {
    return false;
  }
}

function askForLock(files: SessionFiles, port: FilePort): void {
  // A hint: whether it can be left does not matter.
  try {
    port.closeSync(port.openSync(files.want, "w", fileMode));
  } catch {
    return;
  }
}

function stopAsking(files: SessionFiles, port: FilePort): void {
  try {
    port.unlinkSync(files.want);
  } catch {
    return;
  }
}

async function tryAcquire(files: SessionFiles, options: LockOptions): Promise<Owner | null> {
  const { port, staleMs } = options;
  const state = { lost: false };
  let unlock: () => Promise<void>;
  try {
    unlock = await lockfile.lock(files.log, {
      lockfilePath: files.lock,
      realpath: false,
      stale: staleMs,
      retries: 0,
      fs: port,
      // The default throws inside a timer, which ends the process.
      onCompromised: () => void (state.lost = true),
    });
  } catch (error) {
    // Its racy takeover can fail halfway in several ways; each means that another one was faster.
    if (["ELOCKED", "ENOENT", "EEXIST", "ENOTEMPTY"].includes(errorCode(error) ?? "")) return null;
    throw error;
  }
  try {
    const claimed = claim(files, port);
    if (claimed !== null) return createOwner(files, port, unlock, state, claimed);
  } catch (error) {
    await unlock().catch(() => undefined);
    throw error;
  }
  await unlock().catch(() => undefined);
  return null;
}

function createOwner(
  files: SessionFiles,
  port: FilePort,
  unlock: () => Promise<void>,
  state: { lost: boolean },
  { directory, tookOver }: { directory: string; tookOver: boolean },
): Owner {
  stopAsking(files, port);
  const leave = (): void => {
    exitTasks.delete(leave);
    try {
      removeTree(port, directory);
      removeIfEmpty(port, files.owner);
    } catch {
      // Left behind, it only makes the next writer take over instead of walking in.
    }
  };
  onProcessExit(leave);
  return Object.assign(state, {
    directory,
    tookOver,
    async release() {
      leave();
      // If it was taken over this lets a third writer in, which ownership makes harmless; keeping it
      // could let the library refresh it for ever.
      await unlock().catch(() => undefined);
    },
    async abandon() {
      exitTasks.delete(leave);
      await unlock().catch(() => undefined);
    },
  });
}

/**
 * Makes a directory of our own the only one. Two that do so at once move each other away, and both
 * or one of them try again; never do both go on.
 */
function claim(
  files: SessionFiles,
  port: FilePort,
): { directory: string; tookOver: boolean } | null {
  const token = randomBytes(8).toString("hex");
  const directory = join(files.owner, token);
  const made = unlessMissing(() => {
    try {
      port.mkdirSync(files.owner, directoryMode);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    port.mkdirSync(directory, directoryMode);
    return true;
  });
  if (made === null) return null;
  let tookOver = false;
  for (const other of unlessMissing(() => port.readdirSync(files.owner)) ?? []) {
    if (other === token) continue;
    tookOver = true;
    const moved = join(directory, other);
    unlessMissing(() => port.renameSync(join(files.owner, other), moved));
    removeTree(port, moved);
  }
  return unlessMissing(() => port.statSync(directory)) === null ? null : { directory, tookOver };
}

/** Removes a directory that only its owner writes to, and what is in it. */
function removeTree(port: FilePort, directory: string): void {
  for (const name of unlessMissing(() => port.readdirSync(directory)) ?? []) {
    const path = join(directory, name);
    try {
      unlessMissing(() => port.unlinkSync(path));
    } catch (error) {
      // unlink(2) of a directory: EISDIR on Linux, EPERM elsewhere.
      if (!["EISDIR", "EPERM"].includes(errorCode(error) ?? "")) throw error;
      removeTree(port, path);
    }
  }
  unlessMissing(() => port.rmdirSync(directory));
}

function removeIfEmpty(port: FilePort, directory: string): void {
  try {
    port.rmdirSync(directory);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
  }
}

/**
 * What idle owners still have to do when the process ends without `close()`; the lock library
 * removes its own directories in the same way.
 */
const exitTasks = new Set<() => void>();
let listening = false;

function onProcessExit(task: () => void): void {
  exitTasks.add(task);
  if (listening) return;
  listening = true;
  process.once("exit", () => {
    for (const pending of exitTasks) pending();
  });
}
