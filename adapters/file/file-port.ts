import fs from "node:fs";

/**
 * Everything the adapter asks of the file system: a subset of `node:fs`, which is also the default.
 * Tests put a port in its place that counts, fails, shortens writes or kills the process at call k.
 *
 * Small metadata calls are synchronous, since each takes microseconds where a trip through the
 * thread pool takes ten times that. Whatever can take milliseconds (copies, bulk reads, syncs that
 * are not known to be quick) is asynchronous and keeps the event loop free. `mkdir` to `rmdirSync` are what the lock library uses.
 */
export type FilePort = Pick<
  typeof fs,
  | "closeSync"
  | "copyFile"
  | "fdatasync"
  | "fdatasyncSync"
  | "fstatSync"
  | "fsync"
  | "fsyncSync"
  | "ftruncateSync"
  | "futimesSync"
  | "mkdirSync"
  | "openSync"
  | "read"
  | "readSync"
  | "readdirSync"
  | "renameSync"
  | "rmdirSync"
  | "statSync"
  | "unlinkSync"
  | "watch"
  | "writeSync"
  | "mkdir"
  | "realpath"
  | "rmdir"
  | "stat"
  | "utimes"
>;

/** The real file system. */
export const nodeFilePort: FilePort = fs;

/** The `code` of a Node.js system error, such as `"ENOENT"`. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Runs `work`; an ENOENT becomes null. */
export function unlessMissing<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Runs `work` with an open descriptor and closes it whatever happens. */
export async function withFile<T>(
  port: FilePort,
  path: string,
  flags: string,
  work: (fd: number) => Promise<T> | T,
): Promise<T> {
  const fd = port.openSync(path, flags, fileMode);
  try {
    return await work(fd);
  } finally {
    port.closeSync(fd);
  }
}

/**
 * Writes all of `bytes` at the descriptor's position; `write(2)` may take only a part.
 *
 * @returns how many there were
 */
export function writeFully(port: FilePort, fd: number, bytes: Uint8Array): number {
  let written = 0;
  while (written < bytes.length) {
    written += port.writeSync(fd, bytes, written, bytes.length - written, null);
  }
  return written;
}

/** Reads up to `length` bytes at `position`; shorter only at the end of the file. */
export function readAt(port: FilePort, fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let taken = 0;
  while (taken < length) {
    const count = port.readSync(fd, bytes, taken, length - taken, position + taken);
    if (count === 0) break;
    taken += count;
  }
  return bytes.subarray(0, taken);
}

/** The same without blocking, for bulk reads. */
export async function readAtLater(
  port: FilePort,
  fd: number,
  position: number,
  length: number,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let taken = 0;
  while (taken < length) {
    const count = await new Promise<number>((resolve, reject) => {
      port.read(fd, bytes, taken, length - taken, position + taken, (error, bytesRead) => {
        if (error === null) resolve(bytesRead);
        else reject(error);
      });
    });
    if (count === 0) break;
    taken += count;
  }
  return bytes.subarray(0, taken);
}

/** `fsync(2)` of a file, for new files. */
export function syncFile(port: FilePort, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    port.fsync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}

/**
 * `fsync(2)` of a directory, without which a power cut may undo a rename, a creation or a removal
 * in it. Windows cannot open directories and needs no such call.
 */
export async function syncDirectory(port: FilePort, path: string): Promise<void> {
  if (process.platform === "win32") return;
  await withFile(port, path, "r", (fd) => syncFile(port, fd));
}

/** Private to the owner: sessions hold what people said to their agents. */
export const fileMode = 0o600;
export const directoryMode = 0o700;
