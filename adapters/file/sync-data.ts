import type { FilePort } from "./file-port.ts";

/** Makes what was written to a descriptor survive a power cut; see {@link createDataSync}. */
export type DataSync = (fd: number) => Promise<void>;

/** A sync that takes longer than this costs the event loop more than the thread pool would. */
const quickMs = 0.5;

/** After a slow sync the thread pool does them for this long before the next try. */
const retryAfterMs = 1_000;

/**
 * `fdatasync(2)`, on the calling thread as long as that is quick and nothing else is syncing.
 *
 * Handing a call to the thread pool and back costs 30 to 60 microseconds, which is a third of a sync
 * on a good disk (bench/file-append); blocking the event loop for such a sync costs less than
 * parsing a large event. One slow sync, or a second one at the same time, which the kernel can
 * merge with the first, goes to the thread pool. docs/decisions/0004-quick-syncs.md.
 */
export function createDataSync(port: FilePort): DataSync {
  let running = 0;
  let slowUntil = 0;

  async function inThreadPool(fd: number): Promise<void> {
    running += 1;
    try {
      await new Promise<void>((resolve, reject) => {
        port.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
      });
    } finally {
      running -= 1;
    }
  }

  return async (fd) => {
    const started = performance.now();
    if (running > 0 || started < slowUntil) return inThreadPool(fd);
    port.fdatasyncSync(fd);
    const ended = performance.now();
    if (ended - started > quickMs) slowUntil = ended + retryAfterMs;
    return undefined;
  };
}
