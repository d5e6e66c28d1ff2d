/** A session as `list` shows it. */
export interface SessionInfo {
  readonly id: string;
  /** Last change, in milliseconds since the epoch; the fraction orders changes inside one. */
  readonly mtime: number;
  /** Last seq; 0 when empty. For a damaged session the last seq that is known, or 0. */
  readonly head: number;
  /** Present and true when the end of the log cannot be read. */
  readonly damaged?: true;
}

/** A place in list order. */
export interface ListPosition {
  readonly id: string;
  readonly mtime: number;
}
