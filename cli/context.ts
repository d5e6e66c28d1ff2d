import type { Writable } from "node:stream";
import type { Checkpointer, EventObject } from "../src/index.ts";
import { createStandardInput, type StandardInput } from "./input/standard-input.ts";
import type { StoreSchemes } from "./open-store.ts";
import { styleFor, type Style } from "./output/style.ts";
import { createOutput, type Output } from "./output/output.ts";

/** What the tool works on: any JSON object is an event. */
export type Store = Checkpointer<EventObject>;

/** The world around one run. Tests hand in their own. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted with an `Interruption`. */
  readonly signal: AbortSignal;
}

/** A stream that may be a terminal. */
type InputStream = AsyncIterable<Uint8Array> & {
  readonly isTTY?: boolean | undefined;
  /** Every key at once and without echo, Ctrl-C included. */
  readonly setRawMode?: ((on: boolean) => unknown) | undefined;
  readonly destroy?: (() => unknown) | undefined;
};

/** A stream that may be a terminal. */
export type OutputStream = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** What every command gets. */
export interface Context {
  readonly io: Io;
  readonly schemes: StoreSchemes;
  /** Passwords first, then data. */
  readonly input: StandardInput;
  /** Passwords that opened a key file in this run, by its path, so that each is asked for once. */
  readonly passwords: Map<string, string>;
  readonly out: Output;
  readonly errors: Output;
  readonly style: Style;
}

export function createContext(io: Io, schemes: StoreSchemes): Context {
  return {
    io,
    schemes,
    input: createStandardInput(io),
    passwords: new Map(),
    out: createOutput(io.stdout),
    errors: createOutput(io.stderr),
    style: styleFor(io.stdout, io.env),
  };
}
