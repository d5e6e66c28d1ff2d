import { resolve } from "node:path";
import { limits, type Repair } from "../../src/index.ts";
import { nodeFilePort, type FilePort } from "./file-port.ts";
import { createDataSync, type DataSync } from "./sync-data.ts";

/** Options of `fileStore`. */
export interface FileStoreOptions {
  /** Directory of the store; created on the first append, mode 0700. */
  readonly dir: string;
  /**
   * What an acknowledged change survives. `"power"` syncs data before acknowledging, and the
   * directory after a file comes or goes; `"process"` leaves both to the operating system. Default
   * `"power"`.
   */
  readonly durability?: "power" | "process" | undefined;
  /**
   * After how many milliseconds without a sign of life a lock counts as left by a dead writer.
   * At least 2,000, which is what the lock library allows. A writer that is only late loses nothing
   * but time. Default 3,000.
   */
  readonly lockStaleMs?: number | undefined;
  /**
   * About how many milliseconds a handle keeps a session's lock after its last change, so that the next
   * one need not take it again. Given up at once when another writer asks. Default 50.
   */
  readonly lockLingerMs?: number | undefined;
  /** How many milliseconds a change waits for the lock before it fails with `BUSY`. Default 10,000. */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Called when a writer cuts what a crash left of an unacknowledged batch. Default: a process
   * warning with code `CHECKPOINTER_TORN_TAIL`.
   */
  readonly onTornTail?: ((sessionId: string, repair: Repair) => void) | undefined;
  /** Id of the codec pipeline, written into the header of new logs. Default `"plain"`. */
  readonly pipeline?: string | undefined;
  /** The file system. Default: the real one. */
  readonly port?: FilePort | undefined;
}

/** {@link FileStoreOptions} with every default filled in. */
export type ResolvedFileOptions = {
  readonly [K in keyof FileStoreOptions]-?: Exclude<FileStoreOptions[K], undefined>;
} & {
  /** Does nothing unless `durability` is `"power"`. */
  readonly syncData: DataSync;
};

/** What the lock library allows at least, and a day, beyond which a timer's delay makes no sense. */
const shortestStaleMs = 2_000;
const longestMs = 24 * 60 * 60 * 1_000;

/** Fills in defaults and checks bounds. */
export function resolveFileOptions(options: FileStoreOptions): ResolvedFileOptions {
  const { dir, durability = "power", pipeline = "plain", port = nodeFilePort } = options;
  if (typeof dir !== "string" || dir.length === 0 || dir.includes("\0")) {
    throw new TypeError("dir: wanted a path, met something else");
  }
  if (durability !== "power" && durability !== "process") {
    throw new TypeError('durability: wanted "power" or "process", met something else');
  }
  const { lockStaleMs = 3_000, lockLingerMs = 50, busyTimeoutMs = 10_000 } = options;
  requireMs("lockStaleMs", lockStaleMs, shortestStaleMs);
  requireMs("lockLingerMs", lockLingerMs, 0);
  requireMs("busyTimeoutMs", busyTimeoutMs, 0);
  return Object.freeze({
    // A later change of the working directory must not move the store.
    dir: resolve(dir),
    durability,
    lockStaleMs,
    lockLingerMs,
    busyTimeoutMs,
    onTornTail: options.onTornTail ?? warnOfTornTail,
    pipeline,
    port,
    syncData: durability === "power" ? createDataSync(port) : () => Promise.resolve(),
  });
}

function requireMs(name: string, value: unknown, least: number): void {
  if (typeof value === "number" && value >= least && value <= longestMs) return;
  throw new RangeError(
    `${name}: wanted ${least} to ${longestMs} milliseconds, met ${String(value)}`,
  );
}

function warnOfTornTail(sessionId: string, { bytes, offset }: Repair): void {
  const shown = JSON.stringify(sessionId.slice(0, limits.maxSessionIdBytes));
  process.emitWarning(
    `Cut ${bytes} bytes of an unfinished, unacknowledged append at byte ${offset} of session ${shown}`,
    { type: "CheckpointerWarning", code: "CHECKPOINTER_TORN_TAIL" },
  );
}
