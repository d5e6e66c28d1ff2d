import type { Operation } from "./history.ts";

/**
 * What a history can break.
 *
 * | rule | statement |
 * | --- | --- |
 * | `H1` | an acknowledged append is in the log once, whole, in order, where its answer says |
 * | `H2` | no append that was certainly refused is in the log |
 * | `H3` | an append with an unknown outcome is in the log at most once, and whole |
 * | `H4` | an append that insisted on head e and won stands at e + 1 |
 * | `H5` | a read is a run of the log from `sinceSeq` + 1 to a place where an append ended |
 * | `H6` | an operation sees everything that was settled before it started, and nothing that started later |
 * | `H7` | a conflict names a head that was there during the call, and that is not the expected one |
 * | `H8` | what one client is told about the head never goes back |
 * | `linearizability` | there is one order of the operations that explains every answer |
 *
 * `H1` to `H8` each follow from the last one, and say more; the last one is used where a log was
 * truncated or deleted, or never read to its end.
 */
export type Rule = "H1" | "H2" | "H3" | "H4" | "H5" | "H6" | "H7" | "H8" | "linearizability";

/** A rule that a history breaks. */
export interface Violation {
  readonly rule: Rule;
  readonly sessionId: string;
  /** The operations that contradict each other, as far as that is known. */
  readonly operations: readonly Operation[];
  /** Why, in one sentence. */
  readonly message: string;
}

/** A session that could not be judged in reasonable time, which is not a pass. */
export interface Undecided {
  readonly sessionId: string;
  /** How many operations could be next at once: those that overlap, and those without an answer. */
  readonly size: number;
  readonly message: string;
}

/** The judgement on a history. */
export interface Verdict {
  /** `"invalid"` when there is a violation, else `"undecided"` when a session could not be judged. */
  readonly status: "valid" | "invalid" | "undecided";
  readonly violations: readonly Violation[];
  readonly undecided: readonly Undecided[];
}
