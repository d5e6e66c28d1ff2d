import type { Checkable, CheckableCase } from "../property.ts";
import type { CodecSubject } from "./codec-subject.ts";

/** One sentence of what a codec owes. */
export type CodecProperty = Checkable<CodecRequirement, CodecSubject>;

/** One way to check a {@link CodecProperty}, on fresh codecs. */
export type CodecCase = CheckableCase<CodecRequirement, CodecSubject>;

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
