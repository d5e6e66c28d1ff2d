import type { EventObject } from "../../src/index.ts";

/** What a process that uses the store is told. */
export type BenchRequest =
  | {
      readonly do: "open";
      /** A {@link ProcessModule}, and what its `open` is given. */
      readonly module: string;
      readonly argument: unknown;
      readonly events: readonly EventObject[];
    }
  | {
      readonly do: "append";
      readonly sessionId: string;
      /** Events in one append. */
      readonly batch: number;
      readonly appends: number;
    }
  /** Reads a session again and again, until `stop`. */
  | { readonly do: "read"; readonly sessionId: string }
  | { readonly do: "stop" }
  /** Calls the system with a name that a trace of it can be cut at. */
  | { readonly do: "mark"; readonly name: string }
  /** What was counted since the last time. */
  | { readonly do: "count" }
  | { readonly do: "close" };

/** What it answers. */
export type BenchAnswer =
  { readonly value: unknown } | { readonly failure: string } | { readonly ready: true };

/** Calls by name, and bytes that they wrote, as {@link BenchRequest} `count` answers. */
export interface PortCounts {
  readonly calls: Readonly<Record<string, number>>;
  readonly writtenBytes: number;
}

/** What a trace of system calls shows of a `mark`. */
export const markPrefix = "/ckpt-bench-mark/";
