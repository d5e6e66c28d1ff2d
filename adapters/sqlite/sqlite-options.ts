import path from "node:path";
import type { Anchor, Codec } from "../../src/index.ts";

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /**
   * Path of the database. An absent or empty file becomes a new database, readable by its owner
   * alone, at the first write; its folder must exist. `":memory:"` keeps everything in memory.
   */
  readonly file: string;
  /**
   * `"full"` syncs every commit to disk: what is acknowledged survives a power cut. `"normal"`
   * survives the death of the process only and is many times faster. Default `"normal"`.
   *
   * @see https://www.sqlite.org/pragma.html#pragma_synchronous
   */
  readonly synchronous?: "normal" | "full" | undefined;
  /**
   * Milliseconds to wait for another writer, without blocking the event loop, before a call fails
   * with `BUSY`. 0 to 2^31-1. Default 5000.
   */
  readonly busyTimeoutMs?: number | undefined;
  /** Run `PRAGMA quick_check` at open and fail with `CORRUPT_LOG` on damage. Default false. */
  readonly integrityCheckOnOpen?: boolean | undefined;
}

/** Options of `sqliteCheckpointer`. */
export interface SqliteCheckpointerOptions extends SqliteStoreOptions {
  /** Seals every record. Left out: records are plain JSON text. */
  readonly codec?: Codec | undefined;
  /** Remembers the end of each log elsewhere; see `Anchor`. Needs a codec that authenticates. */
  readonly anchor?: Anchor | undefined;
}

/** Options with every default filled in. */
export interface ResolvedOptions {
  /** Absolute, since the working directory may change; or `":memory:"`. */
  readonly file: string;
  readonly inMemory: boolean;
  readonly synchronous: "normal" | "full";
  readonly busyTimeoutMs: number;
  readonly integrityCheckOnOpen: boolean;
}

/** Fills in the defaults; throws a TypeError or RangeError for anything unusable. */
export function resolveOptions(options: SqliteStoreOptions): ResolvedOptions {
  const { file, synchronous = "normal", busyTimeoutMs = 5_000 } = options;
  const { integrityCheckOnOpen = false } = options;
  if (typeof file !== "string") throw new TypeError(`file: wanted a path, met ${typeof file}`);
  if (file === "" || file.includes("\0")) {
    throw new RangeError("file: wanted a non-empty path without U+0000");
  }
  if (synchronous !== "normal" && synchronous !== "full") {
    throw new TypeError('synchronous: wanted "normal" or "full"');
  }
  if (typeof busyTimeoutMs !== "number") {
    throw new TypeError(`busyTimeoutMs: wanted a number, met ${typeof busyTimeoutMs}`);
  }
  if (!Number.isInteger(busyTimeoutMs) || busyTimeoutMs < 0 || busyTimeoutMs > 0x7fffffff) {
    throw new RangeError(`busyTimeoutMs: wanted a whole number from 0, met ${busyTimeoutMs}`);
  }
  if (typeof integrityCheckOnOpen !== "boolean") {
    throw new TypeError(`integrityCheckOnOpen: wanted a boolean`);
  }
  const inMemory = file === ":memory:";
  return Object.freeze({
    file: inMemory ? file : path.resolve(file),
    inMemory,
    synchronous,
    busyTimeoutMs,
    integrityCheckOnOpen,
  });
}
