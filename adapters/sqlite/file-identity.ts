import fs from "node:fs";
import { CheckpointError, quote } from "../../src/index.ts";

/** What tells one file from another that took its name. */
export interface FileIdentity {
  readonly file: string;
  readonly device: number;
  readonly inode: number;
}

const quiet = { throwIfNoEntry: false } as const;

/** The size of a file in bytes; 0 when it is absent. */
export function sizeOf(file: string): number {
  return fs.statSync(file, quiet)?.size ?? 0;
}

/** The identity of what `file` names now, or null when nothing is there. */
export function identify(file: string): FileIdentity | null {
  const stats = fs.statSync(file, quiet);
  return stats === undefined ? null : { file, device: stats.dev, inode: stats.ino };
}

/**
 * Creates an empty file that only its owner can read, unless it exists. SQLite gives its side files
 * the same permissions.
 *
 * An existing database file is never opened here: closing a descriptor drops every POSIX lock that
 * this process holds on the file, those of other open handles included.
 *
 * @see https://www.sqlite.org/howtocorrupt.html section 2.2
 */
export function createPrivateFile(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Fails when the name no longer leads to the file that was opened. SQLite would go on writing into
 * the file that nobody can find any more, and acknowledge it.
 *
 * @see https://www.sqlite.org/howtocorrupt.html section 2.4
 */
export function requireUnmoved(identity: FileIdentity): void {
  if (isUnmoved(identity)) return;
  const { file } = identity;
  throw new CheckpointError(
    "IO_FAILED",
    `Cannot use database ${quote(file)}: the file was replaced or deleted while it was open, ` +
      "close this handle and open another",
  );
}

/** Whether the name still leads to the file that was opened. */
export function isUnmoved({ file, device, inode }: FileIdentity): boolean {
  const stats = fs.statSync(file, quiet);
  return stats !== undefined && stats.ino === inode && stats.dev === device;
}
