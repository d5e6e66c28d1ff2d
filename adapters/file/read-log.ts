import {
  CheckpointError,
  isCheckpointError,
  quote,
  type LogHead,
  type RecordRange,
  type StoredRecord,
  type StoreFinding,
} from "../../src/index.ts";
import { unlessMissing, type FilePort } from "./file-port.ts";
import { readBackwards, readForwards, type LogView } from "./log-reader.ts";
import { readHeader, readTail } from "./log-tail.ts";

/** The head of the log at `path`; null when there is none. */
export function readHead(port: FilePort, path: string, sessionId: string): LogHead | null {
  const fd = unlessMissing(() => port.openSync(path, "r"));
  if (fd === null) return null;
  try {
    const { header, seq, tail } = readTail(port, fd, port.fstatSync(fd).size, sessionId);
    return { seq, generation: header.generation, tail };
  } finally {
    port.closeSync(fd);
  }
}

/** Pages of the log at `path`, as it is at the first pull; nothing when there is none. */
export async function* readLog(
  port: FilePort,
  path: string,
  sessionId: string,
  range: RecordRange,
): AsyncGenerator<readonly StoredRecord[], void, void> {
  const fd = unlessMissing(() => port.openSync(path, "r"));
  if (fd === null) return;
  try {
    const view = fixView(port, fd, sessionId, range);
    yield* range.reverse ? readBackwards(port, view, range) : readForwards(port, view, range);
  } finally {
    port.closeSync(fd);
  }
}

/**
 * Whether there is a log at `path`, damaged or not.
 *
 * @throws CheckpointError `UNSUPPORTED_FORMAT` for a file that is of a newer version, or no log
 */
export function isOurs(port: FilePort, path: string, sessionId: string): boolean {
  const fd = unlessMissing(() => port.openSync(path, "r"));
  if (fd === null) return false;
  try {
    readHeader(port, fd, sessionId);
  } catch (error) {
    // Deleting is the way out of a damaged log.
    if (!isCheckpointError(error, "CORRUPT_LOG")) throw error;
  } finally {
    port.closeSync(fd);
  }
  return true;
}

/** What a crash left at the end of the log at `path`. */
export function findTornTail(port: FilePort, path: string, sessionId: string): StoreFinding[] {
  const fd = unlessMissing(() => port.openSync(path, "r"));
  if (fd === null) return [];
  try {
    const { size } = port.fstatSync(fd);
    const { end, seq } = readTail(port, fd, size, sessionId);
    if (size === end) return [];
    const message = `${size - end} bytes of an unfinished, unacknowledged append`;
    return [{ code: "TORN_TAIL", seq: seq + 1, offset: end, message }];
  } catch {
    // Reading the records finds the damage and says more about it.
    return [];
  } finally {
    port.closeSync(fd);
  }
}

function fixView(
  port: FilePort,
  fd: number,
  sessionId: string,
  { generation, reverse }: RecordRange,
): LogView {
  const { size } = port.fstatSync(fd);
  const { header, start } = readHeader(port, fd, sessionId);
  if (generation !== undefined && generation !== header.generation) {
    const detail = "it was truncated or deleted meanwhile";
    throw new CheckpointError("LOG_CHANGED", `Cannot read session ${quote(sessionId)}: ${detail}`);
  }
  try {
    return { fd, sessionId, start, end: readTail(port, fd, size, sessionId).end };
  } catch (error) {
    // A damaged end does not keep anyone from reading what stands before it.
    if (reverse) throw error;
    return { fd, sessionId, start, end: size };
  }
}
