/**
 * Remembers the end of each log in a place that the storage's owner cannot write to. It is the only
 * thing that notices a cut tail, an old last record or a whole old log put back. Written by you, or
 * taken from `checkpointer-kit/adapters/memory`, `/file` and `/postgres`.
 *
 * Methods are atomic and durable when they resolve. Reject with a `CheckpointError` `KEY_UNAVAILABLE`
 * or `IO_FAILED` when the place cannot be reached; reads and changes then fail too.
 */
export interface Anchor {
  /** @returns null when nothing is known of the session */
  get(sessionId: string): Promise<AnchorPoint | null>;
  /**
   * Compare and set.
   *
   * @param point - null forgets the session
   * @param expected - what `get` returned
   * @returns false when another point is there now; nothing was changed then
   */
  set(sessionId: string, point: AnchorPoint | null, expected: AnchorPoint | null): Promise<boolean>;
  /** Releases everything. Idempotent. */
  close?(): Promise<void>;
}

/** A moment of a log that any later state of it must contain. JSON-serialisable. */
export interface AnchorPoint {
  readonly seq: number;
  /** Last 16 bytes of the record at `seq` in hexadecimal: its tag. "" for seq 0. */
  readonly tag: string;
  /** While a log is being sealed anew: the tag that the same seq will have then. */
  readonly nextTag?: string | undefined;
  /** Random, new with every truncate, so that an append that raced it cannot move the anchor up. */
  readonly cut?: string | undefined;
}

/**
 * The point that a value says, for anchors that keep points as JSON; null when it says none. Properties
 * come in one order, so that equal points have equal JSON.
 */
export function toAnchorPoint(value: unknown): AnchorPoint | null {
  const { seq, tag, nextTag, cut } = (value ?? {}) as Partial<Record<keyof AnchorPoint, unknown>>;
  if (!Number.isSafeInteger(seq) || typeof tag !== "string") return null;
  return {
    seq: seq as number,
    tag,
    ...(typeof nextTag === "string" && { nextTag }),
    ...(typeof cut === "string" && { cut }),
  };
}
