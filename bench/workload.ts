import type { Fixture } from "../conformance/fixture.ts";
import type { Manifest } from "../conformance/manifest.ts";
import type { Handle } from "../conformance/session-state.ts";
import type { EventObject } from "../src/index.ts";
import type { Detail } from "./bench-report.ts";

/**
 * One piece of work on one store, ready to be timed again and again. It knows nothing but the contract,
 * so that it works on every store, and on every version of one.
 */
export interface Work {
  /** Makes what the next run uses up; not timed. */
  readonly arrange?: (operations: number) => Promise<void>;
  /** Does so many operations, and tells `onLatency` what each took, in milliseconds, where that is asked. */
  readonly run: (operations: number, onLatency?: (milliseconds: number) => void) => Promise<void>;
  /** Undoes what `run` did, so that the next one finds what this one found; not timed. */
  readonly reset?: () => Promise<void>;
  /** Ends what was started beside the store. */
  readonly close?: () => Promise<void>;
  /** What was found beside times, over all runs. */
  readonly details?: () => readonly Detail[];
}

/** What work is made of. */
export interface WorkContext {
  /** A handle onto the store; the same one again where one object is all there is. */
  readonly open: () => Promise<Handle>;
  readonly manifest: Manifest;
  /** What opens the store; left out where only handles are at hand. */
  readonly fixture?: Fixture;
  /** At least a thousand, used in turn. */
  readonly events: readonly EventObject[];
  readonly sizes: Sizes;
}

/** How large things are. */
export interface Sizes {
  /** Events in a session that is read. */
  readonly session: number;
  /** Events in a session that shows growth. */
  readonly large: number;
  /** Sessions in a store that is listed. */
  readonly sessions: number;
}

/** How a kind of work is prepared. */
export interface WorkKind {
  /** Unique among figures, for example `W02/100`. */
  readonly id: string;
  readonly workload: string;
  readonly title: (sizes: Sizes) => string;
  /** What one operation is, or a part of it. */
  readonly per: string;
  /** Parts in one operation, such as the events of a batch. Default 1. */
  readonly parts?: (sizes: Sizes) => number;
  /** Why a store cannot do it; null where it can. */
  readonly refusal?: (manifest: Manifest, fixture: Fixture | undefined) => string | null;
  /** The fewest operations in one block, so that everybody who shares them has one. Default 1. */
  readonly least?: number;
  /** The most operations in one block, where each uses something up. Default: no bound. */
  readonly most?: number;
  readonly prepare: (context: WorkContext) => Promise<Work>;
}
