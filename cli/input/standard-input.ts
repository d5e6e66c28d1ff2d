import type { Io } from "../context.ts";

/** Standard input, read by one reader after the other. Not looked at before the first one. */
export interface StandardInput {
  /** @returns null at the end */
  next(): Promise<Uint8Array | null>;
  /** Gives back what the next reader is to get first. */
  unread(bytes: Uint8Array): void;
  /** The rest. */
  bytes(): AsyncGenerator<Uint8Array>;
  /** Lets go of the stream, which would keep the process alive. */
  close(): void;
}

export function createStandardInput(io: Pick<Io, "stdin">): StandardInput {
  let iterator: AsyncIterator<Uint8Array> | undefined;
  let unreadBytes: Uint8Array | null = null;

  async function next(): Promise<Uint8Array | null> {
    if (unreadBytes !== null) {
      const bytes = unreadBytes;
      unreadBytes = null;
      return bytes;
    }
    iterator ??= io.stdin[Symbol.asyncIterator]();
    const step = await iterator.next();
    return step.done === true ? null : step.value;
  }

  return {
    next,
    unread(bytes) {
      if (bytes.length > 0) unreadBytes = bytes;
    },
    async *bytes() {
      for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk;
    },
    close() {
      if (iterator !== undefined) io.stdin.destroy?.();
    },
  };
}
