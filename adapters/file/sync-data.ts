import type { FilePort } from "./file-port.ts";

/** Makes what was written to a descriptor survive a power cut; see {@link createDataSync}. */
export type DataSync = (fd: number) => Promise<void>;

/** Above this a sync costs the event loop more than a trip through the thread pool would. */
const quickMs = 0.5;

/** A slow sync counts as at most this, so that one outlier on a good disk changes nothing. */
const outlierMs = 1;

/** How much the latest sync counts in the running average. */
const weight = 0.25;

/** With a slow disk, one sync in so many is tried on the calling thread again, whatever the pool says. */
const retryEvery = 64;

/**
 * `fdatasync(2)`, on the calling thread as long as that is quick on average and nothing else is
 * syncing.
 *
 * Handing a call to the thread pool and back costs 30 to 60 microseconds, which is a third of a sync
 * on a good disk (bench/workloads/file-append.ts); blocking the event loop for such a sync costs less
 * than parsing a large event. On a slower disk, or when a second sync runs at the same time, which
 * the kernel can merge with the first, the thread pool does it, until one is quick even there. See
 * docs/decisions/0004-quick-syncs.md and 0008-lone-appends.md.
 */
export function createDataSync(port: FilePort): DataSync {
  let running = 0;
  let averageMs = 0;
  let untilRetry = 0;

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
    if (running > 0) return inThreadPool(fd);
    const started = performance.now();
    if (untilRetry > 0) {
      await inThreadPool(fd);
      untilRetry = performance.now() - started <= quickMs ? 0 : untilRetry - 1;
      return undefined;
    }
    port.fdatasyncSync(fd);
    const took = Math.min(outlierMs, performance.now() - started);
    averageMs += (took - averageMs) * weight;
    if (averageMs > quickMs) untilRetry = retryEvery;
    return undefined;
  };
}
