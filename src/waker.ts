/** Lets one waiter sleep until it is woken, remembering a wake-up that comes while it is busy. */
export interface Waker {
  wake(): void;
  /** Resolves after `wake()`, an abort, or `maxMs`, whichever comes first; never rejects. */
  wait(maxMs: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Timers never keep the process alive. */
export function createWaker(): Waker {
  let woken = false;
  let resume: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      resume?.();
    },
    async wait(maxMs, signal) {
      if (!woken && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const done = (): void => {
            resume = undefined;
            clearTimeout(timer);
            signal?.removeEventListener("abort", done);
            resolve();
          };
          const timer = setTimeout(done, maxMs);
          (timer as { unref?: () => void }).unref?.();
          signal?.addEventListener("abort", done, { once: true });
          resume = done;
        });
      }
      woken = false;
    },
  };
}
