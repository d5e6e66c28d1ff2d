// How the end of somebody else's work is told.

/** What the result of an interrupted call says. */
export const interruption = "Interrupted before it ended; what it did until then may stand";

/**
 * How work ends, or the signal's reason once it is aborted: whoever waits need not wait for those who do not listen.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: T | PromiseLike<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    // A signal outlives thousands of calls.
    signal.removeEventListener("abort", stop);
  }
}

/**
 * A tool's output as the log gives it back later.
 *
 * @throws TypeError for what JSON cannot carry
 */
export function jsonOf(output: unknown): unknown {
  if (output === undefined) return "";
  if (typeof output === "string") return output.toWellFormed();
  return JSON.parse(JSON.stringify(output) ?? '""') as unknown;
}

/** What a thrown value says, in one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s*\n\s*/g, " ");
}
