/** `promise`, or the signal's reason as soon as it aborts; the promise is then left to itself. */
export async function untilAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let abort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
