import { createInterface, type Interface } from "node:readline";
import { Readable, Writable } from "node:stream";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { Interruption } from "../interruption.ts";
import { escapeText } from "../output/escape.ts";
import type { ChatLines } from "./chat-lines.ts";
import { chatCommands } from "./parse-line.ts";
import { asOneLine, asTyped, bracketedPaste, pastesAsLines } from "./pasted-text.ts";

const prompt = "> ";

/** Lines that the up arrow goes back to. */
const historySize = 1_000;

/**
 * The lines a person types at a terminal, with editing and a history that is never written anywhere. What is typed
 * while something runs is shown when its turn comes; Ctrl-C drops it.
 *
 * @param past - lines of earlier, the oldest first
 */
export function terminalLines(context: Context, past: readonly string[]): ChatLines {
  const { io, style } = context;
  const waitingLines: string[] = [];
  let isTyping = false;
  let ended = false;
  let interrupted = false;
  let reader: Deferred<string | null> | null = null;
  let running: { readonly controller: AbortController; readonly left: Deferred<never> } | null =
    null;

  const editor = createInterface({
    input: keyboard(context),
    output: shown(io.stdout, () => isTyping),
    terminal: true,
    prompt,
    history: past.map(asOneLine).reverse(),
    historySize,
    removeHistoryDuplicates: true,
    completer: completed,
  });

  if (io.env["TERM"] !== "dumb") io.stdout.write(bracketedPaste.on);

  function read(typed: string | null): void {
    const line = typed === null ? null : asTyped(typed);
    isTyping = false;
    interrupted = false;
    if (reader === null && line !== null) waitingLines.push(line);
    reader?.resolve(line);
    reader = null;
  }

  function leave(): void {
    const interruption = new Interruption("SIGINT", exitCodes.interrupted);
    reader?.reject(interruption);
    running?.left.reject(interruption);
    editor.close();
  }

  editor.on("line", read);
  editor.on("close", () => {
    if (isTyping) io.stdout.write("\n");
    if (io.env["TERM"] !== "dumb") io.stdout.write(bracketedPaste.off);
    ended = true;
    read(null);
  });
  // In raw mode Ctrl-C is a key and not a signal.
  editor.on("SIGINT", () => {
    waitingLines.length = 0;
    const dropped = dropLine(editor);
    if (dropped && running === null) interrupted = false;
    else if (interrupted) leave();
    else {
      interrupted = true;
      if (running !== null) return running.controller.abort(new Cancelled());
      io.stdout.write(`\n${style.dim("(Ctrl-C again or Ctrl-D leaves)")}\n`);
      editor.prompt();
    }
  });
  const close = (): void => editor.close();
  io.signal.addEventListener("abort", close, { once: true });

  return {
    async next() {
      const line = waitingLines.shift();
      if (line !== undefined) {
        io.stdout.write(`${prompt}${escapeText(line)}\n`);
        return line;
      }
      if (ended) return null;
      reader = deferred();
      isTyping = true;
      editor.prompt(true);
      return reader.promise;
    },
    async during(work) {
      const controller = new AbortController();
      const left = deferred<never>();
      running = { controller, left };
      interrupted = false;
      try {
        const signal = AbortSignal.any([controller.signal, io.signal]);
        return await Promise.race([work(signal), left.promise]);
      } finally {
        running = null;
      }
    },
    close() {
      io.signal.removeEventListener("abort", close);
      editor.close();
    },
  };
}

/** The abort reason of what Ctrl-C cancelled: nothing to complain about. */
export class Cancelled extends Error {
  constructor() {
    super("Cancelled");
    this.name = "Cancelled";
  }
}

/** @returns whether there was something typed */
function dropLine(editor: Interface): boolean {
  if (editor.line === "") return false;
  editor.write(null, { ctrl: true, name: "e" });
  editor.write(null, { ctrl: true, name: "u" });
  return true;
}

/** Standard input behind whatever has read from it already, such as a question for a password. */
function keyboard({ input, io }: Context): Readable {
  async function* keys(): AsyncGenerator<string> {
    try {
      yield* pastesAsLines(input.bytes());
    } catch {
      // A terminal that went away, or was let go of, is the end of what is typed.
    }
  }
  const stream = Readable.from(keys());
  return Object.assign(stream, { setRawMode: (on: boolean) => io.stdin.setRawMode?.(on) });
}

/** What the editor writes, shown only while a line is typed: answers are not to be mixed with it. */
function shown(stdout: Context["io"]["stdout"], isShown: () => boolean): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      if (isShown()) stdout.write(chunk);
      done();
    },
  });
  stdout.on("resize", () => stream.emit("resize"));
  return Object.defineProperty(stream, "columns", { get: () => stdout.columns || 80 });
}

function completed(line: string): [string[], string] {
  return [chatCommands.filter((name) => line !== "" && name.startsWith(line)), line];
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>["resolve"] = () => undefined;
  let reject: Deferred<T>["reject"] = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
