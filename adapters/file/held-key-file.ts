import { join } from "node:path";
import { CheckpointError, quote } from "../../src/index.ts";
import {
  readAt,
  syncDirectory,
  syncFile,
  unlessMissing,
  withFile,
  writeFully,
  type FilePort,
} from "./file-port.ts";
import { encodeKeyFile, isKeyFile, parseKeyFile, type KeyFile } from "./key-file.ts";
import type { Owner } from "./session-lock.ts";

/**
 * A file that is overwritten while it is read is no longer the session's, so another look helps.
 */
const readAttempts = 3;

/** A session's file in the hands of the one process that may change it. */
export interface HeldKeyFile {
  /** null when there is none. */
  read(): KeyFile | null;
  /** Puts another file in its place. */
  put(file: KeyFile): Promise<void>;
  /** The same, and overwrites the one that was there. */
  putOver(file: KeyFile): Promise<void>;
  remove(): Promise<void>;
}

/** What the owner of a session's lock may do with its file. */
export function holdKeyFile(
  port: FilePort,
  dir: string,
  path: string,
  sessionId: string,
  owner: Owner,
): HeldKeyFile {
  async function put(file: KeyFile): Promise<void> {
    const temporary = join(owner.directory, "new");
    await withFile(port, temporary, "wx", async (fd) => {
      writeFully(port, fd, encodeKeyFile(file));
      await syncFile(port, fd);
    });
    // Fails for an owner that was replaced, since its directory was moved.
    port.renameSync(temporary, path);
    await syncDirectory(port, dir);
  }

  return {
    read: () => readKeyFile(port, path, sessionId),
    put,

    async putOver(file) {
      const fd = unlessMissing(() => port.openSync(path, "r+"));
      if (fd === null) return put(file);
      try {
        const { size } = port.fstatSync(fd);
        if (!isKeyFile(readAt(port, fd, 0, size))) throw notAKeyFile(sessionId);
        await put(file);
        // Only now: the rename proves that nobody else has put a file there since it was opened.
        writeFully(port, fd, new Uint8Array(size));
        await syncFile(port, fd);
      } finally {
        port.closeSync(fd);
      }
    },

    async remove() {
      port.renameSync(path, join(owner.directory, "old"));
      await syncDirectory(port, dir);
    },
  };
}

/**
 * The keys of a session as they are now; null when there is no file.
 *
 * @throws CheckpointError `UNSUPPORTED_FORMAT` for a file that is not whole, or not the session's
 */
export function readKeyFile(port: FilePort, path: string, sessionId: string): KeyFile | null {
  for (let attempt = 1; ; attempt += 1) {
    const bytes = readWhole(port, path);
    if (bytes === null) return null;
    const file = parseKeyFile(bytes);
    if (file?.sessionId === sessionId) return file;
    if (file !== null || attempt === readAttempts) throw notAKeyFile(sessionId);
  }
}

/** All bytes of a file; null when there is none. */
export function readWhole(port: FilePort, path: string): Buffer | null {
  const fd = unlessMissing(() => port.openSync(path, "r"));
  if (fd === null) return null;
  try {
    return readAt(port, fd, 0, port.fstatSync(fd).size);
  } finally {
    port.closeSync(fd);
  }
}

function notAKeyFile(sessionId: string): CheckpointError {
  const detail = "the file is damaged, or was written by something else";
  return new CheckpointError(
    "UNSUPPORTED_FORMAT",
    `Cannot read the keys of session ${quote(sessionId)}: ${detail}`,
  );
}
