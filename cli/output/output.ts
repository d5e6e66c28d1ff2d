import { CliError } from "../cli-error.ts";
import type { OutputStream } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { systemMessage } from "../system-message.ts";

/** Lines to a stream, in large writes. */
export interface Output {
  /** @throws OutputClosedError once nobody reads any more */
  line(text: string): Promise<void>;
  /** A line about a change that was made: nobody reading is no reason to stop making changes. */
  note(text: string): Promise<void>;
  flush(): Promise<void>;
  /** Width of the terminal, or null when this is none. */
  readonly columns: number | null;
}

/** The reader went away, as `head -1` does. The end of the command, but no failure. */
export class OutputClosedError extends Error {
  constructor() {
    super("Nobody reads the output any more");
    this.name = "OutputClosedError";
  }
}

const flushAtCharacters = 64 * 1024;

export function createOutput(stream: OutputStream): Output {
  let pending: string[] = [];
  let size = 0;
  let failure: Error | null = null;
  const onError = (error: Error): void => {
    failure ??= closedOr(error);
  };
  // Stays for good: the stream may report a broken pipe after the command has ended.
  stream.on("error", onError);

  async function flush(): Promise<void> {
    if (failure !== null) throw failure;
    if (pending.length === 0) return;
    const text = pending.join("");
    pending = [];
    size = 0;
    await new Promise<void>((resolve, reject) => {
      stream.write(text, (error) => {
        if (error == null) resolve();
        else reject((failure ??= closedOr(error)));
      });
    });
  }

  async function line(text: string): Promise<void> {
    pending.push(text, "\n");
    size += text.length + 1;
    if (failure !== null || size >= flushAtCharacters) await flush();
  }

  return {
    line,
    flush,
    async note(text) {
      try {
        await line(text);
        await flush();
      } catch (error) {
        if (!(error instanceof OutputClosedError)) throw error;
      }
    },
    get columns() {
      return stream.isTTY === true ? (stream.columns ?? 80) : null;
    },
  };
}

function closedOr(error: Error & { code?: unknown }): Error {
  const closed = ["EPIPE", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"];
  if (closed.includes(String(error.code))) return new OutputClosedError();
  return new CliError(exitCodes.failed, `Cannot write output: ${systemMessage(error)}`);
}
