import { dirname, join } from "node:path";
import {
  isCheckpointError,
  pageSessions,
  type ListPage,
  type SessionInfo,
} from "../../src/index.ts";
import { errorCode, readAt, unlessMissing, type FilePort } from "./file-port.ts";
import { readTail } from "./log-tail.ts";
import { decodeHeader, formatVersion, newline } from "./record-line.ts";
import { decodeName, sessionFiles } from "./session-files.ts";

/** Files looked at before other work gets a turn. */
const filesPerTurn = 64;

/** The sessions of a directory, reading the end of those that are on the page and no payload. */
export async function listSessions(
  port: FilePort,
  directory: string,
  page: ListPage,
): Promise<SessionInfo[]> {
  const sessions: SessionInfo[] = [];
  let looked = 0;
  for (const name of unlessMissing(() => port.readdirSync(directory)) ?? []) {
    const decoded = decodeName(name);
    if (decoded === undefined || decoded?.startsWith(page.prefix) === false) continue;
    if ((looked += 1) % filesPerTurn === 0) await nextTurn();
    const path = join(directory, name);
    const mtime = unlessMissing(() => port.statSync(path))?.mtimeMs;
    const id = decoded ?? readId(port, path);
    if (mtime !== undefined && id !== null) sessions.push({ id, mtime, head: 0 });
  }
  const listed: SessionInfo[] = [];
  // Files that turn out to be none of ours leave room on the page for later ones.
  const ordered = pageSessions(sessions, { ...page, limit: sessions.length });
  for (const info of ordered) {
    if (listed.length >= page.limit) break;
    if ((looked += 1) % filesPerTurn === 0) await nextTurn();
    const seen = describe(port, directory, info);
    if (seen !== null) listed.push(seen);
  }
  return listed;
}

/** @returns null when the file is not a log of this format, or gone */
function describe(port: FilePort, directory: string, info: SessionInfo): SessionInfo | null {
  const { log } = sessionFiles(directory, info.id);
  const fd = unlessMissing(() => port.openSync(log, "r"));
  if (fd === null) return null;
  try {
    const { size } = port.fstatSync(fd);
    return { ...info, head: readTail(port, fd, size, info.id).seq };
  } catch (error) {
    if (isCheckpointError(error, "CORRUPT_LOG")) return { ...info, damaged: true };
    if (isCheckpointError(error, "UNSUPPORTED_FORMAT") || errorCode(error) === "EISDIR")
      return null;
    // A file that cannot be read is one damaged session, not the end of the list.
    if (errorCode(error) === "EIO") return { ...info, damaged: true };
    throw error;
  } finally {
    port.closeSync(fd);
  }
}

/** The id in the header of a log whose name is a hash; null when the file is none of ours. */
function readId(port: FilePort, path: string): string | null {
  const fd = unlessMissing(() => port.openSync(path, "r"));
  if (fd === null) return null;
  try {
    const bytes = readAt(port, fd, 0, 4_096);
    const header = decodeHeader(bytes, bytes.indexOf(newline));
    if (header !== null) return header.version === formatVersion ? header.id : null;
    // A damaged header hides no session: the hash in the name proves what is left of the id.
    const id = /"id":("(?:[^"\\]|\\.)*")/.exec(bytes.toString("utf8"))?.[1];
    return id === undefined ? null : provenId(id, path);
  } finally {
    port.closeSync(fd);
  }
}

function provenId(json: string, path: string): string | null {
  try {
    const id = JSON.parse(json) as string;
    return sessionFiles(dirname(path), id).log === path ? id : null;
  } catch {
    return null;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
