/**
 * What several clients did to a log store, and what each of them was told: plain JSON, so that a
 * history of any store in any language can be judged by `checkHistory`.
 *
 * Every session of a history starts absent or empty, and every event that is appended carries an id
 * that no other append uses; that is what makes judging fast.
 */
export interface History {
  /** In any order; `start` and `end` say when they ran. */
  readonly operations: readonly Operation[];
}

/** One call of one client. */
export interface Operation {
  /** Who called: a handle, connection or process. Calls of one client may overlap. */
  readonly client: string;
  readonly sessionId: string;
  readonly call: Call;
  /**
   * A moment not after the call took effect. Moments are any finite numbers on one scale for the whole
   * history, a counter for example. Too early a start or too late an end hides violations and never
   * invents one.
   */
  readonly start: number;
  /** A moment not before the answer; null when there was none. Equal moments count as overlapping. */
  readonly end: number | null;
  readonly outcome: OperationOutcome;
}

/** What was called. */
export type Call = AppendCall | ReadCall | HeadCall | TruncateCall | DeleteCall;

/** As `Checkpointer.append`. */
export interface AppendCall {
  readonly method: "append";
  /**
   * Ids of the batch, in order; `[]` is a look at the head. Only a retry, the same ids under the same
   * idempotency key in the same session, may use an id again.
   */
  readonly ids: readonly string[];
  /** The head that was insisted on; 0 is absent or empty. Left out: any. */
  readonly expectedHead?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** As `Checkpointer.read`, from a seq (exclusive) to the end. */
export interface ReadCall {
  readonly method: "read";
  readonly sinceSeq: number;
}

/** As `Checkpointer.head`. */
export interface HeadCall {
  readonly method: "head";
}

/** As `Checkpointer.truncate`. */
export interface TruncateCall {
  readonly method: "truncate";
  readonly toSeq: number;
  readonly expectedHead?: number | undefined;
}

/** As `Checkpointer.delete`. */
export interface DeleteCall {
  readonly method: "delete";
}

/** What the client was told. */
export type OperationOutcome =
  /** An append or head: the head it returned. */
  | { readonly status: "ok"; readonly head: number }
  /** A read, from its first to its last event. */
  | { readonly status: "ok"; readonly events: readonly StoredId[] }
  /** A truncate or delete. */
  | { readonly status: "ok" }
  /** Not applied, since the head was `actual`. */
  | { readonly status: "conflict"; readonly expected: number; readonly actual: number }
  /** Certainly not applied, for another reason. */
  | { readonly status: "refused"; readonly code: string }
  /** Nobody knows. A change may have been applied, or may be at any later time. */
  | { readonly status: "unknown" };

/** One event of a read. */
export interface StoredId {
  readonly seq: number;
  readonly id: string;
}
