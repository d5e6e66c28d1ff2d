import type { StoreCapabilities } from "./capabilities.ts";
import type { ListPosition, SessionInfo } from "./session-info.ts";

/**
 * A storage backend: six methods. Hand it to `createCheckpointer` and users get everything else
 * (validation, ordering, merged appends, codecs, forks, following, head tokens) for free.
 *
 * What you can rely on: the engine has validated every argument and resolved every default; session
 * ids are well-formed strings of 1 to 512 UTF-8 bytes without U+0000; string payloads are JSON text
 * of one object without raw line breaks or unpaired surrogates; calls never arrive after `close()`.
 * What you must not rely on: that calls for one session never overlap, or that you are the only
 * handle or process unless your `capabilities.concurrency` says so.
 *
 * Map session ids one-to-one: `a/b`, `a_b`, `A`, `a`, NFC, NFD, `..` and `CON` are different
 * sessions. Wrap driver errors once, here, in a `CheckpointError`: `BUSY` for a timeout that
 * changed nothing, `OUTCOME_UNKNOWN` when a change may have been applied, `IO_FAILED` otherwise.
 */
export interface RecordStore {
  /** A constant object; see {@link StoreCapabilities}. */
  readonly capabilities: StoreCapabilities;

  /**
   * The current end of a log.
   *
   * Must reflect every commit acknowledged before the call, by any handle or process. Looking
   * creates nothing.
   *
   * @returns null when the session does not exist
   */
  head(sessionId: string): Promise<LogHead | null>;

  /**
   * One atomic compare-and-change: the only way records come and go. In this order:
   *
   * 1. If a batch carries a `key` that this session's records already carry, change nothing and
   *    return `{ duplicate }` with the first and last seq of the batch that carries it.
   * 2. If `change.base` does not describe the current head, change nothing and return `{ conflict }`
   *    with the actual head (null when absent). A refusal is a value, not an exception.
   * 3. If `change.keep` is below the head, drop all records above it and give the log a new
   *    generation. A batch that is cut loses its key. `keep` never raises the head.
   * 4. Append all batches in order. A batch becomes visible to readers whole or not at all, even
   *    across a crash. An absent session is created, with a new generation, only if there is at
   *    least one record to append.
   *
   * Resolve only when the change has the durability your capabilities declare. When you reject,
   * nothing may have been applied, unless the code is `OUTCOME_UNKNOWN`.
   *
   * @returns `{ head }` after the change; its `head` is null only if nothing was there and nothing
   * was appended
   */
  commit(sessionId: string, change: Change): Promise<Outcome>;

  /**
   * Pages of records, in seq order (descending when `range.reverse`), without gaps.
   *
   * Do no work before the first pull. At the first pull fix the view: deliver at least everything
   * up to the head of that moment, end even if others keep appending, and hold only one page (or
   * one batch) in memory. When the log is truncated or deleted meanwhile, deliver the old view or
   * throw `LOG_CHANGED`, never a mix. Damage is a `CorruptLogError` after all records before it.
   * Release everything when the consumer stops early. An absent session yields nothing.
   */
  read(sessionId: string, range: RecordRange): AsyncIterable<readonly StoredRecord[]>;

  /**
   * The sessions that exist, most recent change first: ordered by `mtime` descending, then id
   * ascending by code unit (`comparePosition`). `mtime` is the `mtime` of the last change that did
   * something. Never reads payloads. A damaged session is listed with `damaged: true` and hides no
   * other. `pageSessions` does filtering, ordering and paging for small stores.
   */
  list(page: ListPage): Promise<SessionInfo[]>;

  /** Removes a session whole, atomically. Deleting an absent session does nothing. */
  delete(sessionId: string): Promise<void>;

  /** Releases everything. Called once. Running reads may fail with `CLOSED` afterwards. */
  close(): Promise<void>;

  /**
   * Optional: run `work` while other writers of this session wait, so that head, encode and commit
   * happen under one lock. `commit`, `head` and `read` are called from within `work`.
   */
  exclusively?<T>(sessionId: string, work: () => Promise<T>): Promise<T>;

  /**
   * Optional: put a whole new log in place in one atomic step, in constant memory. Checks `base`
   * like `commit`, at the latest when it swaps, which it does after `records` has ended; the log gets
   * a new generation. Records become visible together, and each keeps its key. Throwing from
   * `records` leaves the old log as it was.
   */
  rewrite?(
    sessionId: string,
    base: Base | null,
    records: AsyncIterable<RewriteRecord>,
    mtime: number,
  ): Promise<Outcome>;

  /**
   * Optional: yields whenever the session may have changed. A hint only: it may come late, twice,
   * or for nothing. Ends when `signal` aborts, and never keeps the process alive.
   */
  watch?(sessionId: string, signal: AbortSignal): AsyncIterable<void>;

  /**
   * Optional, read-only: what is wrong with the stored form of one session that plain reading
   * would not tell, for example an unfinished batch at the end of a file.
   */
  verify?(sessionId: string): Promise<StoreFinding[]>;

  /**
   * Optional: removes what a crash left of a batch that was never acknowledged. Never drops an
   * acknowledged record, never touches other damage.
   *
   * @returns what was dropped, or null when there was nothing to do
   */
  repair?(sessionId: string): Promise<Repair | null>;
}

/** The end of an existing log. */
export interface LogHead {
  /** Last seq; 0 when the log is empty (truncated to 0). */
  readonly seq: number;
  /** Opaque random id of this history; see `newGeneration`. Never the empty string. */
  readonly generation: string;
  /** The record at `seq`, null when the log is empty. */
  readonly tail: StoredRecord | null;
}

/** A record as stored. */
export interface StoredRecord {
  readonly seq: number;
  /** ISO 8601 in UTC with milliseconds. */
  readonly ts: string;
  /** Idempotency key of the append that wrote it. Every record of a keyed batch carries the key. */
  readonly key?: string | undefined;
  /** JSON text when nothing is sealed, bytes when a codec made them. */
  readonly payload: string | Uint8Array;
}

/** A record to be stored; the store assigns its seq. */
export interface NewRecord {
  readonly ts: string;
  readonly payload: string | Uint8Array;
}

/** A record of a log that is written anew. */
export interface RewriteRecord extends NewRecord {
  /** The key it had before. */
  readonly key?: string | undefined;
}

/** The records of one `append()`, never empty. */
export interface Batch {
  readonly key?: string | undefined;
  readonly records: readonly NewRecord[];
}

/**
 * A head that a change insists on. `seq` 0 without a generation means "absent or empty"; generation
 * `""` means "absent". Without a generation only the seq is compared.
 */
export interface Base {
  readonly seq: number;
  readonly generation?: string | undefined;
}

/** What `commit` is asked to do. */
export interface Change {
  /** null: whatever the head is. */
  readonly base: Base | null;
  /** Drop records above this seq in the same step. Absent: drop nothing. */
  readonly keep?: number | undefined;
  /** May be empty; all of them or none. */
  readonly batches: readonly Batch[];
  /**
   * Milliseconds since the epoch with a fraction that orders changes inside one millisecond;
   * strictly increasing within a process. What `list` reports for the session from now on.
   */
  readonly mtime: number;
}

/** What `commit` answers. */
export type Outcome =
  | { readonly head: LogHead | null }
  | { readonly conflict: LogHead | null }
  | { readonly duplicate: { readonly key: string; readonly from: number; readonly to: number } };

/** Which records to read; every field is set. */
export interface RecordRange {
  /** Exclusive lower bound; 0 for everything. */
  readonly sinceSeq: number;
  /** Inclusive upper bound; `Number.MAX_SAFE_INTEGER` for everything. */
  readonly untilSeq: number;
  /** At most this many records, counted from the end that is read first; may be Infinity. */
  readonly limit: number;
  /** Newest first. */
  readonly reverse: boolean;
  /** When given and the log has another generation at the first pull: throw `LOG_CHANGED`. */
  readonly generation?: string | undefined;
}

/** Which part of the session list to return; every field but `cursor` is set. */
export interface ListPage {
  readonly limit: number;
  /** Only sessions after this position in list order. */
  readonly cursor?: ListPosition | undefined;
  /** Only ids that start with this string; "" for all. */
  readonly prefix: string;
}

/** Something `verify` saw in the stored form. */
export interface StoreFinding {
  /** `TORN_TAIL` is what a crash leaves: unacknowledged, harmless, cut by the next append. */
  readonly code: "TORN_TAIL" | "CORRUPT_LOG";
  readonly seq: number | null;
  readonly offset: number | null;
  readonly message: string;
}

/** What `repair` dropped. */
export interface Repair {
  /** Bytes that were cut. */
  readonly bytes: number;
  /** Byte offset the log now ends at. */
  readonly offset: number;
}
