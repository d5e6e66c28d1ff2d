import { constants, mkdir, open, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../sha256.ts";
import { unlessMissing } from "./unless-missing.ts";

/** What a new file may be used by, as everywhere; the process's umask takes its part. */
const newFileMode = 0o666;

/** What a file is to become: bytes, with permission bits or those of a new file; or nothing. */
export type NextFile = { readonly bytes: Uint8Array; readonly mode: number | null } | null;

/** Part of the name of a call's temporary files: whoever reads the log can find what a crash left. */
export function workIdOf(sessionId: string, callId: string): string {
  return sha256(`${sessionId}\n${callId}`).slice(0, 16);
}

/** The name of a temporary file beside `path`; whoever knows `workId` can find and remove it after a crash. */
export function temporaryBeside(path: string, workId: string, kind: "new" | "old"): string {
  // A name may be as long as a name can be, so it is not part of the other one.
  const name = sha256(basename(path)).slice(0, 16);
  return join(dirname(path), `.ckpt-${workId}-${name}-${kind}`);
}

/**
 * Makes a file whole beside `path`, synced and not yet in its place.
 *
 * @returns its name
 */
export async function stageFile(
  path: string,
  { bytes, mode }: NonNullable<NextFile>,
  workId: string,
): Promise<string> {
  const staged = temporaryBeside(path, workId, "new");
  await rm(staged, { force: true });
  // Exclusive: a link that somebody put there is not followed.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = await open(staged, flags, mode === null ? newFileMode : 0o600);
  try {
    await file.writeFile(bytes);
    if (mode !== null) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
  return staged;
}

/**
 * Replaces or removes a file in one step: whoever looks, and a crash, finds the old one or the new one.
 * Directories that are missing on the way are made.
 */
export async function replaceFile(path: string, next: NextFile, workId: string): Promise<void> {
  if (next === null) {
    await unlessMissing(unlink(path));
  } else {
    await mkdir(dirname(path), { recursive: true });
    const staged = await stageFile(path, next, workId);
    try {
      await rename(staged, path);
    } catch (error) {
      await rm(staged, { force: true });
      throw error;
    }
  }
  await syncDirectory(dirname(path));
}

/** Makes names in a directory survive a power cut. A system that cannot open directories has no need. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path, constants.O_RDONLY);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EISDIR" && code !== "EPERM" && code !== "ENOENT" && code !== "EINVAL")
      throw error;
  }
}
