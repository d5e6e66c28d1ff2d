import { dirname, join, resolve } from "node:path";
import {
  CheckpointError,
  isCheckpointError,
  quote,
  requireSessionId,
  type SessionKeyStore,
} from "../../src/index.ts";
import {
  directoryMode,
  errorCode,
  nodeFilePort,
  syncDirectory,
  unlessMissing,
  type FilePort,
} from "./file-port.ts";
import { holdKeyFile, readKeyFile, readWhole, type HeldKeyFile } from "./held-key-file.ts";
import { wrapIoError } from "./io-error.ts";
import { parseKeyFile, type KeyFile } from "./key-file.ts";
import { decodeName, encodeName, type SessionFiles } from "./session-files.ts";
import { acquireOwner, stillOwns } from "./session-lock.ts";

/** Options of {@link fileKeyStore}. */
export interface FileKeyStoreOptions {
  /**
   * A directory for keys alone: not the log's, nor in its backups. Created with the first key, mode
   * 0700.
   */
  readonly dir: string;
  /**
   * Milliseconds that a change waits for another process before `KEY_UNAVAILABLE`. Default 10,000.
   */
  readonly busyTimeoutMs?: number | undefined;
  /** The file system. Default: the real one. */
  readonly port?: FilePort | undefined;
}

const extension = ".keys";

/** What `fileStore` calls its logs; where they are, keys must not be. */
const logExtension = ".jsonl";

/** A lock without a sign of life for this long was left by a dead process. */
const lockStaleMs = 3_000;

const longestMs = 24 * 60 * 60 * 1_000;

/**
 * Session keys as small files, one a session, for any number of processes of one machine.
 *
 * Every change writes a new file, syncs it, and renames it into place under the lock of `fileStore`
 * (docs/decisions/0003-ownership.md), so that a crash leaves the file before or the file after.
 * `shred` puts a tombstone in place and overwrites the file that was there. Flash drives, file
 * systems that copy on write, snapshots and backups may hold the old bytes nevertheless.
 *
 * @throws TypeError or RangeError for bad options
 * @example
 * ```ts
 * const store = fileKeyStore({ dir: "./keys" });
 * const keys = sessionKeys({ store, wrapper: localWrapper({ key }) });
 * ```
 */
export function fileKeyStore(options: FileKeyStoreOptions): SessionKeyStore {
  const { dir, busyTimeoutMs, port } = resolveOptions(options);
  const running = new Set<Promise<unknown>>();
  let closed = false;
  let isApart = false;
  let isRooted = false;

  /** What every call has in common: the checks, and errors that have the code of this door. */
  function run<T>(
    action: string,
    sessionId: string | undefined,
    work: () => T | Promise<T>,
  ): Promise<T> {
    const call = (async (): Promise<T> => {
      if (closed) throw new CheckpointError("CLOSED", "Cannot use the key store: it was closed");
      if (sessionId !== undefined) requireSessionId(sessionId);
      try {
        requireApart();
        return await work();
      } catch (error) {
        throw keyStoreError(error, action, sessionId);
      }
    })();
    const over: Promise<unknown> = call.then(
      () => running.delete(over),
      () => running.delete(over),
    );
    running.add(over);
    return call;
  }

  /** Keys beside the logs would be in every copy of the logs. */
  function requireApart(): void {
    if (isApart) return;
    const names = unlessMissing(() => port.readdirSync(dir));
    if (names?.some((name) => name.endsWith(logExtension)) === true) {
      const detail = "wanted a directory for keys alone, met one with session logs";
      throw new CheckpointError("UNSUPPORTED_FORMAT", `Cannot use ${quote(dir)}: ${detail}`);
    }
    isApart = names !== null;
  }

  /** Makes the directory, and makes sure that it is still there after a power cut. */
  async function root(): Promise<void> {
    if (isRooted) return;
    const first = port.mkdirSync(dir, { recursive: true, mode: directoryMode });
    // Each directory that was made is an entry in the one above it.
    for (let made = dir; first !== undefined && made.length >= first.length; made = dirname(made)) {
      await syncDirectory(port, dirname(made));
    }
    isRooted = true;
  }

  /** Runs a change as the only one that changes the session's file. */
  async function update<T>(
    sessionId: string,
    change: (held: HeldKeyFile) => Promise<T>,
  ): Promise<T> {
    await root();
    const files = keyFiles(dir, sessionId);
    const lock = { port, staleMs: lockStaleMs, busyTimeoutMs };
    for (;;) {
      const owner = await acquireOwner(files, sessionId, lock);
      try {
        return await change(holdKeyFile(port, dir, files.log, sessionId, owner));
      } catch (error) {
        // Another process took over, and our only way to the file with it: nothing was changed.
        if (errorCode(error) !== "ENOENT" || stillOwns(owner, port)) throw error;
      } finally {
        await owner.release();
      }
    }
  }

  /** As `update`, but without leaving a trace where there is nothing to change. */
  async function updateExisting<T>(
    sessionId: string,
    otherwise: T,
    change: (held: HeldKeyFile, current: KeyFile) => Promise<T>,
  ): Promise<T> {
    const { log } = keyFiles(dir, sessionId);
    if (unlessMissing(() => port.statSync(log)) === null) return otherwise;
    return update(sessionId, async (held) => {
      const current = held.read();
      return current === null ? otherwise : change(held, current);
    });
  }

  return {
    get: (sessionId) =>
      run("read the keys of", sessionId, () => {
        const file = readKeyFile(port, keyFiles(dir, sessionId).log, sessionId);
        return { shredded: file?.shredded === true, keys: file?.keys ?? [] };
      }),

    add: (sessionId, key) =>
      run("add a key to", sessionId, () =>
        update(sessionId, async (held) => {
          const { shredded = false, keys = [] } = held.read() ?? {};
          if (shredded || keys.some(({ id }) => id === key.id)) return false;
          await held.put({ sessionId, shredded, keys: [...keys, key] });
          return true;
        }),
      ),

    replace: (sessionId, replacements) =>
      run("replace keys of", sessionId, () =>
        updateExisting(sessionId, true, async (held, { shredded, keys }) => {
          if (shredded) return false;
          const byId = new Map(replacements.map((key) => [key.id, key]));
          const replaced = keys.map((key) => byId.get(key.id) ?? key);
          await held.putOver({ sessionId, shredded, keys: replaced });
          return true;
        }),
      ),

    shred: (sessionId) =>
      run("shred the keys of", sessionId, () =>
        update(sessionId, (held) => held.putOver({ sessionId, shredded: true, keys: [] })),
      ),

    revive: (sessionId) =>
      run("revive", sessionId, () =>
        updateExisting(sessionId, undefined, async (held, { shredded }) => {
          if (shredded) await held.remove();
        }),
      ),

    async *list() {
      yield* await run("list", undefined, () => listSessionIds(port, dir));
    },

    async close() {
      closed = true;
      await Promise.all(running);
    },
  };
}

function listSessionIds(port: FilePort, dir: string): string[] {
  const sessionIds: string[] = [];
  for (const name of unlessMissing(() => port.readdirSync(dir)) ?? []) {
    if (!name.endsWith(extension)) continue;
    const decoded = decodeName(name.slice(0, -extension.length) + logExtension);
    if (decoded === undefined) continue;
    const bytes = decoded === null ? readWhole(port, join(dir, name)) : null;
    const sessionId = decoded ?? (bytes === null ? null : parseKeyFile(bytes)?.sessionId);
    if (typeof sessionId === "string") sessionIds.push(sessionId);
  }
  return sessionIds;
}

/** Names apart from a log's, so that not even a shared directory could mix up the locks. */
function keyFiles(dir: string, sessionId: string): SessionFiles {
  const path = join(dir, encodeName(sessionId) + extension);
  return { log: path, lock: `${path}.lock`, owner: `${path}.owner`, want: `${path}.want` };
}

/**
 * What goes wrong with a file or a lock may go right later; nothing was changed, or all of it was.
 */
function keyStoreError(error: unknown, action: string, sessionId: string | undefined): unknown {
  const wrapped = wrapIoError(
    error,
    sessionId === undefined ? `${action} keys` : action,
    sessionId,
  );
  const isTemporary = isCheckpointError(wrapped, "IO_FAILED") || isCheckpointError(wrapped, "BUSY");
  if (!isTemporary) return wrapped;
  return new CheckpointError("KEY_UNAVAILABLE", wrapped.message, { cause: error });
}

function resolveOptions(options: FileKeyStoreOptions): {
  dir: string;
  busyTimeoutMs: number;
  port: FilePort;
} {
  const { dir, busyTimeoutMs = 10_000, port = nodeFilePort } = options;
  if (typeof dir !== "string" || dir.length === 0 || dir.includes("\0")) {
    throw new TypeError("dir: wanted a path, met something else");
  }
  if (!Number.isInteger(busyTimeoutMs) || busyTimeoutMs < 0 || busyTimeoutMs > longestMs) {
    throw new RangeError(`busyTimeoutMs: wanted a whole number from 0 to ${longestMs}`);
  }
  // A later change of the working directory must not move the store.
  return { dir: resolve(dir), busyTimeoutMs, port };
}
