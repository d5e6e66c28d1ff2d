import { constants } from "node:fs";
import type { LogHead, Repair, StoredRecord } from "../../src/index.ts";
import { unlessMissing, writeFully, type FilePort } from "./file-port.ts";
import type { KeyIndex } from "./key-index.ts";
import { readTail } from "./log-tail.ts";
import type { LogHeader } from "./record-line.ts";
import type { ResolvedFileOptions } from "./resolve-options.ts";
import { LostOwnershipError } from "./session-lock.ts";

/** A log that its owner has open for appending, and all it knows about it. */
export interface OpenLog {
  readonly fd: number;
  readonly header: LogHeader;
  /** Offset of the first record's line. */
  readonly start: number;
  /** Size of the file, which ends with a whole batch. */
  size: number;
  seq: number;
  tail: StoredRecord | null;
  /** Known once an append with a key needed it. */
  keys: KeyIndex | null;
}

/** `"a+"` without O_CREAT: looking must not create. */
const appendFlags = constants.O_RDWR | constants.O_APPEND;

/**
 * Opens a log for its owner and cuts what a crash left of an unacknowledged batch.
 *
 * @param stillOurs - asked once the file is open: an owner that was replaced before must not touch
 * the file of its successor, and one that is replaced later holds a file that nobody else opens
 * @returns null when there is no such log
 */
export async function openLog(
  { port, syncData }: ResolvedFileOptions,
  path: string,
  sessionId: string,
  stillOurs: () => boolean,
): Promise<{ log: OpenLog; repair: Repair | null } | null> {
  const fd = unlessMissing(() => port.openSync(path, appendFlags));
  if (fd === null) return null;
  try {
    if (!stillOurs()) throw new LostOwnershipError(sessionId);
    const { size } = port.fstatSync(fd);
    const { end, newlineMissing, ...found } = readTail(port, fd, size, sessionId);
    if (size > end) port.ftruncateSync(fd, end);
    if (newlineMissing) writeFully(port, fd, Buffer.from("\n"));
    if (size > end || newlineMissing) await syncData(fd);
    const log = { fd, ...found, size: newlineMissing ? end + 1 : end, keys: null };
    return { log, repair: size > end ? { bytes: size - end, offset: end } : null };
  } catch (error) {
    port.closeSync(fd);
    throw error;
  }
}

/** The head that a log shows to the engine. */
export function headOf(log: OpenLog | null): LogHead | null {
  if (log === null) return null;
  return { seq: log.seq, generation: log.header.generation, tail: log.tail };
}

/** Whether the file is still the one at its path, and as long as its owner left it. */
export function isUnchanged(port: FilePort, log: OpenLog): boolean {
  const { size, nlink } = port.fstatSync(log.fd);
  return nlink > 0 && size === log.size;
}
