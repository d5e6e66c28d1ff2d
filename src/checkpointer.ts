import type { Capabilities } from "./capabilities.ts";
import type { ErrorCode } from "./errors.ts";
import type { Repair } from "./record-store.ts";
import type { EventObject, SessionEvent } from "./session-event.ts";
import type { ListPosition, SessionInfo } from "./session-info.ts";

/**
 * Stores agent sessions: one append-only log of events per session id.
 *
 * `createCheckpointer` makes one out of a six-method `RecordStore`; you can also implement this
 * interface yourself. An object with only {@link MinimalCheckpointer}'s methods is valid too, at
 * the core level of the conformance suite.
 *
 * Every method rejects with `CLOSED` after `close()`, with `INVALID_SESSION_ID` for an unusable id,
 * with a `TypeError` or `RangeError` for any other bad argument, and with `signal.reason` after an
 * abort. `read`, `tail` and `verify` do so at the first pull.
 */
export interface Checkpointer<E extends EventObject = SessionEvent> extends MinimalCheckpointer<E> {
  /** What this store promises; frozen and JSON-serialisable. */
  readonly capabilities: Capabilities;

  /**
   * Appends `events`, all or nothing, also for concurrent readers and after a crash. On head h they
   * get seq h+1 to h+n, in order. Appends issued on one handle without awaiting land in the order
   * they were issued. The events are captured at the call; changing them afterwards changes nothing.
   *
   * `[]` returns the head, checks `expectedHead`, and creates and moves nothing.
   *
   * @param expected - the head you insist on, as a seq or a head token, or an options object. 0
   * means "absent or empty". Left out: append to whatever is there, never a conflict
   * @returns the new head's seq
   * @throws CheckpointConflictError when the head is another; nothing changed, nothing retried
   * @throws CheckpointError `EVENT_NOT_SERIALIZABLE` or `LIMIT_EXCEEDED` before anything is
   * written; `IDEMPOTENCY_MISMATCH`; `BUSY` (retryable); `OUTCOME_UNKNOWN`; `IO_FAILED`
   */
  append(
    sessionId: string,
    events: readonly E[],
    expected?: number | HeadToken | AppendOptions,
  ): Promise<number>;

  /**
   * The events in seq order: gap-free, complete up to at least the head at the first pull. Ends
   * while others append. Memory stays constant however long the log is. Leaving the loop early
   * releases everything; any other call on the same handle may run in between.
   *
   * @throws CheckpointError `LOG_CHANGED` when the log is truncated or deleted meanwhile and the old
   * view is gone; `CORRUPT_LOG` after everything before the damage; codec codes
   */
  read(sessionId: string, options?: ReadOptions): AsyncIterable<StoredEvent<E>>;

  /**
   * A token for the current head, for `append` and `truncate`. Unlike the bare number it also
   * refuses when the number matches but the history behind it was replaced.
   */
  headToken(sessionId: string): Promise<HeadToken>;

  /** Pages of sessions, most recent change first, in a total order; see {@link ListOptions}. */
  list(options?: ListOptions): Promise<SessionInfo[]>;

  /**
   * Keeps seq 1 to `toSeq` and drops the rest, all or nothing. Beyond the head, or for an unknown
   * session, it does nothing. To 0: the session is empty but still listed.
   *
   * @throws CheckpointConflictError as for `append`
   */
  truncate(sessionId: string, toSeq: number, expected?: number | HeadToken): Promise<void>;

  /**
   * Makes `targetId` a new session holding seq 1 to `atSeq` of `sourceId`, with their timestamps,
   * in one atomic step. The two are independent afterwards. Idempotency keys are not copied.
   *
   * @param atSeq - 1 to the source's head
   * @returns `atSeq`, the head of the new session
   * @throws CheckpointConflictError when `targetId` exists
   */
  fork(sourceId: string, atSeq: number, targetId: string): Promise<number>;

  /**
   * Every event after `sinceSeq` (default 0), first those that are there, then each new one as it
   * lands, with no gap or duplicate at the seam. Waits for a session that does not exist yet. Ends
   * by throwing `signal.reason` on abort. While idle it keeps neither data nor the process.
   *
   * @throws CheckpointError `LOG_CHANGED` when the log is truncated or deleted
   */
  tail(sessionId: string, options?: TailOptions): AsyncIterable<StoredEvent<E>>;

  /**
   * Checks one session, or all, by reading and decoding everything. Changes nothing, and goes on
   * after a damaged session. One report per session.
   */
  verify(sessionId?: string): AsyncIterable<VerifyReport>;

  /**
   * Removes what a crash left of a batch that was never acknowledged. Other damage stays as it is,
   * and a codec failure is never a reason to repair.
   *
   * @returns what was dropped, or null when there was nothing to do
   * @throws CheckpointError `NOT_SUPPORTED` where capabilities say so
   */
  repair(sessionId: string): Promise<Repair | null>;

  /**
   * Seals sessions anew under the codec's current key, each in one atomic step: a reader or a crash
   * finds the old log or the new one. Sessions that are sealed under it already are skipped, so that
   * an interrupted run goes on where it stopped. Tokens change, and followers get `LOG_CHANGED`.
   *
   * @param sessionId - left out: all of them
   * @throws CheckpointError `NOT_SUPPORTED` without a codec; codec codes, and then that session is as
   * it was; `BUSY` when other writers were faster every time
   */
  rekey(sessionId?: string): Promise<RewriteReport>;

  /**
   * Seals sessions that were written without a codec, each in one atomic step. The plain bytes are gone
   * from the log; a disk or a backup may still hold them. Sealed sessions are skipped.
   *
   * @param sessionId - left out: all of them
   * @throws CheckpointError as `rekey`
   */
  adopt(sessionId?: string): Promise<RewriteReport>;

  /**
   * Waits for running changes and releases everything. Idempotent. An open handle does not keep
   * the process alive.
   */
  close(): Promise<void>;

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The part of {@link Checkpointer} that every implementation must have. */
export interface MinimalCheckpointer<E extends EventObject = SessionEvent> {
  /** As `Checkpointer.append`, with a seq as the only expectation. */
  append(sessionId: string, events: readonly E[], expectedHead?: number): Promise<number>;
  /** As `Checkpointer.read`, forwards from a seq on. */
  read(sessionId: string, options?: { sinceSeq?: number }): AsyncIterable<StoredEvent<E>>;
  /** The last seq; 0 when the session is empty or unknown. Looking creates nothing. */
  head(sessionId: string): Promise<number>;
  /** Exactly the sessions with a successful non-empty append and no later delete. */
  list(): Promise<SessionInfo[]>;
  /**
   * Removes the session, whole and atomically. Unknown: does nothing. A later append starts at 1
   * with a new generation.
   */
  delete(sessionId: string): Promise<void>;
  /** As `Checkpointer.truncate`, without an expectation. */
  truncate?(sessionId: string, toSeq: number): Promise<void>;
}

/** An event with its place in the log. */
export interface StoredEvent<E extends EventObject = SessionEvent> {
  /** 1-based, dense. */
  readonly seq: number;
  /** Exactly the id it was appended under. */
  readonly sessionId: string;
  /** seq - 1, or null for the first event. */
  readonly parentSeq: number | null;
  /** When it was appended: ISO 8601 in UTC with milliseconds, one value per append. */
  readonly ts: string;
  /** The event, equal to what was appended; a fresh copy that is yours. */
  readonly event: E;
}

/** A generation and a seq: one moment of one history. Opaque; compare for equality only. */
export type HeadToken = `${string}:${number}`;

/** Options of `append`. */
export interface AppendOptions {
  /** As the short form: a seq or a head token. */
  readonly expectedHead?: number | HeadToken | undefined;
  /**
   * 1 to 256 UTF-8 bytes. A second append to the same session with the same key stores nothing and
   * returns the first one's result, whatever happened since; with other events it is refused with
   * `IDEMPOTENCY_MISMATCH`. Keys live and die with their records. A refused append burns no key.
   */
  readonly idempotencyKey?: string | undefined;
  /** Stops an append that has not started; one that has started completes. All or nothing. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `read`. */
export interface ReadOptions {
  /** Exclusive lower bound. Default 0. */
  readonly sinceSeq?: number | undefined;
  /** Inclusive upper bound. Default: the head. */
  readonly untilSeq?: number | undefined;
  /** At most this many, counted from the end that is read first. Default: no limit. 0: none. */
  readonly limit?: number | undefined;
  /** Newest first. Default false. */
  readonly reverse?: boolean | undefined;
  /** Checked before the first and between events. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `tail`. */
export interface TailOptions {
  /** Exclusive lower bound. Default 0. */
  readonly sinceSeq?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of `list`. */
export interface ListOptions {
  /** At most this many. Default: all. */
  readonly limit?: number | undefined;
  /** The last entry of the page before; the next page starts after it. */
  readonly cursor?: ListPosition | undefined;
  /** Only ids that start with this string. */
  readonly prefix?: string | undefined;
}

/** What `rekey` or `adopt` did. */
export interface RewriteReport {
  /** Sessions that were sealed anew. */
  readonly sessions: number;
  /** Records in them. */
  readonly records: number;
  /** Sessions that needed nothing. */
  readonly skipped: number;
}

/** What `verify` found in one session. */
export interface VerifyReport {
  readonly sessionId: string;
  /** No damage. A torn tail, which is what a crash leaves, is a finding but not damage. */
  readonly ok: boolean;
  /** Records that were read and decoded before the first damage. */
  readonly records: number;
  readonly findings: readonly VerifyFinding[];
}

/** One thing `verify` found. */
export interface VerifyFinding {
  readonly code: ErrorCode | "TORN_TAIL";
  readonly seq: number | null;
  readonly offset: number | null;
  readonly message: string;
}
