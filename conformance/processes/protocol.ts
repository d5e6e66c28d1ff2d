import type { Fault } from "../faults/fault.ts";

/** What a child is started with. */
export interface ChildPlan {
  /** URL of the fixture's `processModule`. */
  readonly module: string;
  /** Whether to hook the file system, so that faults can be armed. */
  readonly hooked: boolean;
  /** Milliseconds by which its clock is ahead of others. */
  readonly clockAheadMs: number;
}

/** What a parent asks of a child; each with a number that its answer carries. */
export type Request =
  | { readonly do: "open"; readonly argument: unknown }
  | { readonly do: "call"; readonly method: string; readonly args: readonly unknown[] }
  | { readonly do: "arm"; readonly faults: readonly Fault[] }
  | { readonly do: "disarm" }
  | { readonly do: "record"; readonly directory: string }
  | { readonly do: "recorded" }
  | { readonly do: "first"; readonly sessionId: string };

/** An error, as it travels between processes. */
export interface RemoteFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly retryable?: boolean;
  readonly expected?: unknown;
  readonly actual?: unknown;
  readonly sessionId?: string;
}

/** What a child answers. */
export type Answer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly failure: RemoteFailure };

/** The descriptor on which a child says that it is about to stop. */
export const announceFd = 4;
