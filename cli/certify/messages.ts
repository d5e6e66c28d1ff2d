import type { Level } from "../../conformance/property.ts";
import type { Replay } from "../../conformance/budget.ts";
import type { SubjectDescription } from "../../conformance/describe-subject.ts";
import type { ReportedResult } from "../../conformance/reports/findings.ts";
import type { FixtureSource } from "./fixture-source.ts";

/** What the process that runs the suite is told to do. */
export interface Order {
  readonly source: FixtureSource;
  /** Left out: the highest level that the manifest can reach. */
  readonly level?: Level | undefined;
  /** These properties alone. */
  readonly only?: readonly string[] | undefined;
  readonly seed: number;
  readonly effort: number;
  /** Milliseconds after which a case is called hung. */
  readonly patience: number;
  readonly replay?: Replay | undefined;
}

/** The store that is certified. */
export interface Subject extends SubjectDescription {
  /** The level that is asked for. */
  readonly level: Level;
}

/** What that process tells, in this order; `alive` comes in between all the time. */
export type News =
  | { readonly type: "alive" }
  /** There is nothing to certify; the message says why. */
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "subject"; readonly subject: Subject }
  | { readonly type: "start"; readonly id: string; readonly number: number; readonly of: number }
  | {
      readonly type: "result";
      readonly result: ReportedResult;
      /** What was recorded of a failed run, where something was. */
      readonly history?: unknown;
    }
  /** A rejection that nobody handles: of the store, or of a call that a failed case has left behind. */
  | { readonly type: "stray"; readonly message: string }
  /** An exception that nobody can catch. */
  | { readonly type: "crash"; readonly message: string }
  | { readonly type: "end" };
