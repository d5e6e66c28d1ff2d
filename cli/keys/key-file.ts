import { open, realpath, rename, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nodeFilePort, syncDirectory } from "../../adapters/file/file-port.ts";
import { acquireOwner } from "../../adapters/file/session-lock.ts";
import { isCheckpointError } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText } from "../output/escape.ts";
import { redact } from "../redact.ts";
import { systemMessage } from "../system-message.ts";

/** A key file with hundreds of keys is smaller; anything longer is something else. */
const maxBytes = 64 * 1024;

const fileMode = 0o600;

/** Mode bits of anybody but the owner. */
const othersMode = 0o077;

/** How messages call a key file. A key that was typed in place of its name is not repeated. */
export function showKeyFile(path: string): string {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(path) ? "***" : redact(escapeText(path));
}

/**
 * The text of a key file, which nobody but its owner may read or change.
 *
 * @throws CliError without anything that is in it
 */
export async function readKeyFile(path: string): Promise<string> {
  const name = showKeyFile(path);
  let bytes: Buffer;
  try {
    const file = await open(path, "r");
    try {
      // A pipe has modes too, but nobody else can open it by its name.
      const { mode } = await file.stat().then((stats) => (stats.isFile() ? stats : { mode: 0 }));
      if ((mode & othersMode) !== 0 && process.platform !== "win32") {
        const detail = "others may read or change it; chmod 600 makes it yours alone";
        throw new CliError(exitCodes.failed, `Refused key file ${name}: ${detail}`);
      }
      bytes = await readUpTo(file, maxBytes + 1);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    const detail = systemMessage(error);
    throw new CliError(exitCodes.failed, `Cannot read key file ${name}: ${detail}`);
  }
  if (bytes.length > maxBytes) {
    throw new CliError(exitCodes.failed, `${name}: too long for a key file`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(exitCodes.failed, `${name}: not text, so no key file`);
  }
}

/** @throws CliError with the exit code for a conflict when there is a file already */
export async function createKeyFile(path: string, text: string): Promise<void> {
  try {
    await writeNew(path, text);
    await syncDirectory(nodeFilePort, dirname(path));
  } catch (error) {
    if ((error as { code?: unknown }).code === "EEXIST") throw keyFileExists(path);
    throw cannotWrite(path, error);
  }
}

/** The error for a key file that must not be overwritten: what it opens would be lost. */
export function keyFileExists(path: string): CliError {
  const detail = "is there already; it was left as it was";
  return new CliError(exitCodes.conflict, `${showKeyFile(path)} ${detail}`);
}

/**
 * Replaces a key file in one step: a crash leaves the old or the new one. Under the lock that logs
 * have, since whoever overwrites the key that another process has just begun to use loses records.
 *
 * @param before - the text that it must still have
 * @throws CliError with the exit code for busy when it has another one
 */
export async function replaceKeyFile(path: string, before: string, after: string): Promise<void> {
  try {
    if (!(await stat(path)).isFile()) {
      throw new CliError(exitCodes.failed, `${showKeyFile(path)}: wanted a file, to replace it`);
    }
    // A rename would replace the link, not the file.
    const real = await realpath(path);
    const files = {
      log: real,
      lock: `${real}.lock`,
      owner: `${real}.owner`,
      want: `${real}.want`,
    };
    const lock = { port: nodeFilePort, staleMs: 3_000, busyTimeoutMs: 10_000 };
    const owner = await acquireOwner(files, path, lock);
    try {
      if ((await readKeyFile(real)) !== before) throw changedMeanwhile(path);
      const temporary = join(owner.directory, "new");
      await writeNew(temporary, after);
      // Fails for an owner that was replaced, since its directory was moved.
      await rename(temporary, real);
      await syncDirectory(nodeFilePort, dirname(real));
    } finally {
      await owner.release();
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = (error as { code?: unknown }).code;
    if (isCheckpointError(error, "BUSY") || code === "ENOENT") throw changedMeanwhile(path);
    throw cannotWrite(path, error);
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", fileMode);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    // Half a key file would be in the way of the next attempt.
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

async function readUpTo(file: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let taken = 0;
  while (taken < length) {
    const { bytesRead } = await file.read(bytes, taken, length - taken, null);
    if (bytesRead === 0) break;
    taken += bytesRead;
  }
  return bytes.subarray(0, taken);
}

function changedMeanwhile(path: string): CliError {
  const detail = "is being changed by another process; run again";
  return new CliError(exitCodes.busy, `${showKeyFile(path)} ${detail}`);
}

function cannotWrite(path: string, error: unknown): CliError {
  const detail = systemMessage(error);
  return new CliError(exitCodes.failed, `Cannot write key file ${showKeyFile(path)}: ${detail}`);
}
