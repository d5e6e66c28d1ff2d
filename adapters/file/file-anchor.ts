import { join, resolve } from "node:path";
import {
  CheckpointError,
  quote,
  toAnchorPoint,
  type Anchor,
  type AnchorPoint,
} from "../../src/index.ts";
import {
  directoryMode,
  readAt,
  syncDirectory,
  syncFile,
  unlessMissing,
  withFile,
  writeFully,
  nodeFilePort,
  type FilePort,
} from "./file-port.ts";
import { wrapIoError } from "./io-error.ts";
import { sessionFiles } from "./session-files.ts";
import { acquireOwner, LostOwnershipError } from "./session-lock.ts";

/** Options of {@link fileAnchor}. */
export interface FileAnchorOptions {
  /** A directory that whoever can write to the store cannot write to. Created when needed. */
  readonly dir: string;
  /** As for `fileCheckpointer`. Default 3,000. */
  readonly lockStaleMs?: number | undefined;
  /** As for `fileCheckpointer`. Default 10,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** The file system. Default: the real one. */
  readonly port?: FilePort | undefined;
}

/** An anchor file is a few numbers; anything longer is not one. */
const maxBytes = 1_024;

/**
 * An anchor that keeps one small file a session in a directory of its own, replaced atomically and
 * synced. Any number of processes on one machine may use it.
 */
export function fileAnchor(options: FileAnchorOptions): Anchor {
  const { port = nodeFilePort, lockStaleMs = 3_000, busyTimeoutMs = 10_000 } = options;
  const dir = resolve(options.dir);

  async function read(sessionId: string): Promise<AnchorPoint | null> {
    const path = anchorPath(dir, sessionId);
    const fd = unlessMissing(() => port.openSync(path, "r"));
    if (fd === null) return null;
    try {
      return parsePoint(sessionId, readAt(port, fd, 0, maxBytes).toString("utf8"));
    } finally {
      port.closeSync(fd);
    }
  }

  async function replace(
    sessionId: string,
    point: AnchorPoint | null,
    expected: AnchorPoint | null,
  ): Promise<boolean> {
    if (unlessMissing(() => port.statSync(dir)) === null) {
      port.mkdirSync(dir, { recursive: true, mode: directoryMode });
    }
    const files = sessionFiles(dir, sessionId);
    const lock = { port, staleMs: lockStaleMs, busyTimeoutMs };
    const owner = await acquireOwner(files, sessionId, lock);
    try {
      const current = await read(sessionId);
      if (JSON.stringify(current) !== JSON.stringify(expected)) return false;
      const path = anchorPath(dir, sessionId);
      if (point === null) {
        // Into our own directory, as everything that an owner moves; it goes with it.
        unlessMissing(() => port.renameSync(path, join(owner.directory, "gone")));
      } else {
        const temporary = join(owner.directory, "new");
        await withFile(port, temporary, "wx", async (fd) => {
          writeFully(port, fd, Buffer.from(`${JSON.stringify({ id: sessionId, ...point })}\n`));
          await syncFile(port, fd);
        });
        port.renameSync(temporary, path);
      }
      await syncDirectory(port, dir);
      return true;
    } finally {
      await owner.release();
    }
  }

  async function guard<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LostOwnershipError) throw error;
      throw wrapIoError(error, "use the anchor of", sessionId);
    }
  }

  return {
    get: (sessionId) => guard(sessionId, () => read(sessionId)),
    set: (sessionId, ...points) => {
      const [point, expected] = points.map(toAnchorPoint);
      return guard(sessionId, () => replace(sessionId, point ?? null, expected ?? null));
    },
  };
}

function anchorPath(dir: string, sessionId: string): string {
  return sessionFiles(dir, sessionId).log.replace(/\.jsonl$/, ".anchor");
}

function parsePoint(sessionId: string, text: string): AnchorPoint {
  let parsed: { id?: unknown } | null = null;
  try {
    parsed = JSON.parse(text) as { id?: unknown } | null;
  } catch {
    parsed = null;
  }
  const point = parsed?.id === sessionId ? toAnchorPoint(parsed) : null;
  if (point !== null) return point;
  const detail = "its anchor file is damaged";
  throw new CheckpointError("ANCHOR_MISMATCH", `Cannot use session ${quote(sessionId)}: ${detail}`);
}
