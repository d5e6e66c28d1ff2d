import { Readable, Writable } from "node:stream";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import type { EventObject } from "../../src/index.ts";
import type { Io, OutputStream, Store } from "../context.ts";
import { storeSchemes, type StoreSchemes } from "../open-store.ts";
import { run } from "../run.ts";

/** What one run printed and returned. */
export interface CapturedRun {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** How a run differs from one in a pipe with nothing on standard input. */
export interface CaptureOptions {
  readonly stdin?: string | Uint8Array;
  /** Standard input is a terminal at which this is typed, a chunk after the other. */
  readonly typed?: readonly string[];
  /** Told when that terminal's raw mode is set. */
  readonly onRawMode?: (on: boolean) => void;
  readonly env?: Record<string, string>;
  readonly terminal?: boolean;
  readonly signal?: AbortSignal;
  readonly schemes?: StoreSchemes;
  /** Called with everything that was printed so far, after every write. */
  readonly onOutput?: (out: string) => void;
  /** Break the pipe after this many characters. */
  readonly closeAfter?: number;
}

/** Runs the tool in this process and gives back what it printed. */
export async function capturedRun(
  words: readonly string[],
  options: CaptureOptions = {},
): Promise<CapturedRun> {
  const { terminal = false, onOutput, closeAfter } = options;
  const stdout = captureStream(terminal, onOutput, closeAfter);
  const stderr = captureStream(terminal);
  const { typed, onRawMode } = options;
  const chunks = typed ?? [options.stdin ?? ""];
  const input = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const keyboard = { isTTY: true, setRawMode: (on: boolean) => onRawMode?.(on) };
  const io: Io = {
    stdin: typed === undefined ? input : Object.assign(input, keyboard),
    stdout,
    stderr,
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await run(words, io, options.schemes);
  return { code, out: stdout.text(), errors: stderr.text() };
}

/** Schemes in which `memory:` and `other:` keep their store from one run to the next. */
export function sharedMemory(): { store: Store; other: Store; schemes: StoreSchemes } {
  const store = memoryCheckpointer<EventObject>();
  const other = memoryCheckpointer<EventObject>();
  const scheme = (shared: Store): StoreSchemes[string] => ({
    shape: "memory:",
    exists: async () => true,
    open: async () => ({ ...shared, close: async () => undefined }),
  });
  const schemes = { ...storeSchemes, memory: scheme(store), other: scheme(other) };
  return { store, other, schemes };
}

/** A run against one shared memory store. */
export type BoundRun = (words: readonly string[], options?: CaptureOptions) => Promise<CapturedRun>;

/** `ckpt` with its store already named. */
export function boundRun(schemes: StoreSchemes, spec = "memory:"): BoundRun {
  return (words, options = {}) => {
    return capturedRun(words, { schemes, env: { CHECKPOINTER_STORE: spec }, ...options });
  };
}

export type CaptureStream = OutputStream & { text: () => string };

export function captureStream(
  terminal: boolean,
  onOutput?: (out: string) => void,
  closeAfter: number = Infinity,
): CaptureStream {
  let text = "";
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      if (text.length >= closeAfter) {
        done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
        return;
      }
      text += chunk.toString();
      done();
      onOutput?.(text);
    },
  });
  return Object.assign(stream, { isTTY: terminal, columns: 80, text: () => text });
}
