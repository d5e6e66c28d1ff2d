import type { Writable } from "node:stream";
import type { Checkpointer, EventObject } from "../src/index.ts";
import type { StoreSchemes } from "./open-store.ts";
import { styleFor, type Style } from "./output/style.ts";
import { createOutput, type Output } from "./output/output.ts";

/** What the tool works on: any JSON object is an event. */
export type Store = Checkpointer<EventObject>;

/** The world around one run. Tests hand in their own. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted with an `Interruption`. */
  readonly signal: AbortSignal;
}

/** A stream that may be a terminal. */
export type OutputStream = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** What every command gets. */
export interface Context {
  readonly io: Io;
  readonly schemes: StoreSchemes;
  readonly out: Output;
  readonly errors: Output;
  readonly style: Style;
}

export function createContext(io: Io, schemes: StoreSchemes): Context {
  return {
    io,
    schemes,
    out: createOutput(io.stdout),
    errors: createOutput(io.stderr),
    style: styleFor(io.stdout, io.env),
  };
}
