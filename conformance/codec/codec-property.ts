import type { CodecSubject } from "./codec-subject.ts";

/** One sentence of what a codec owes, why it does, and how to check it. */
export interface CodecProperty {
  /** As in reports; never reused for something else. */
  readonly id: string;
  readonly group: string;
  /** What a codec must have for the property to apply to it. */
  readonly requires?: readonly CodecRequirement[];
  /** What holds, in the present tense. */
  readonly statement: string;
  /** What goes wrong for users where it does not hold. */
  readonly reason: string;
  /** Where it went wrong: `owner/repository#number`. */
  readonly reports?: readonly string[];
  /** The ways to check it, each on fresh codecs. */
  readonly cases: readonly CodecCase[];
}

/** One way to check a property of a codec. */
export interface CodecCase {
  /** Present tense. */
  readonly name: string;
  /** Beyond what the property itself requires. */
  readonly requires?: readonly CodecRequirement[];
  /** Throws where the codec does otherwise. */
  run(subject: CodecSubject): Promise<void>;
}

/** A group of properties that {@link CodecCase}s are written under. */
export type CodecProperties = readonly CodecProperty[];

/**
 * What a property can ask for: first what a codec promises, then what its fixture reaches, then which
 * optional methods it has.
 */
export type CodecRequirement =
  | "authenticates"
  | "chains"
  | "encrypts"
  | "limits"
  | "foreign"
  | "secrets"
  | "unlimited"
  | "isCurrent"
  | "place";
