import { pause } from "./back-off.ts";
import type { LazyConnection } from "./lazy-connection.ts";
import { rejectWrite, runGroup, type Blocked, type PendingWrite, type Write } from "./run-group.ts";

/** The writes of one connection, in order. */
export interface WriteQueue {
  /** Resolves when the write is committed. When it rejects, nothing of it was applied. */
  write<T>(write: Write<T>): Promise<T>;
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>;
}

/** Past this a transaction gains nothing from being larger and its first writer waits longer. */
const largestGroup = 256;

/**
 * Puts all writes that wait into one transaction, so that 64 writers share one lock and one sync,
 * and waits for other writers of the file without blocking the event loop.
 *
 * @param onCommit - told of every write that is committed, before its promise resolves
 */
export function createWriteQueue(
  lazy: LazyConnection,
  busyTimeoutMs: number,
  onCommit: (sessionId: string | undefined) => void,
): WriteQueue {
  let waiting: PendingWrite[] = [];
  let draining: Promise<void> | undefined;
  let lastGroup = 0;

  async function drain(): Promise<void> {
    // Writes of this very tick belong together.
    await Promise.resolve();
    let attempt = 0;
    while (waiting.length > 0) {
      // Writers that write in a loop come back during this turn of the event loop.
      if (lastGroup > 1) await new Promise<void>((resolve) => void setImmediate(resolve));
      const connection = lazy.current() ?? (await openOrReject());
      if (connection === undefined) continue;
      const group = waiting.splice(0, largestGroup);
      lastGroup = group.length;
      const blocked = runGroup(connection, group);
      attempt = blocked?.writes.length === group.length ? attempt + 1 : 0;
      if (blocked !== null) await waitForLock(blocked, attempt);
    }
    draining = undefined;
  }

  async function openOrReject(): Promise<ReturnType<LazyConnection["current"]>> {
    try {
      return await lazy.open();
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(error);
      return undefined;
    }
  }

  async function waitForLock({ writes, error }: Blocked, attempt: number): Promise<void> {
    const now = performance.now();
    const patient: PendingWrite[] = [];
    for (const pending of writes) {
      pending.deadline ??= now + busyTimeoutMs;
      if (now < pending.deadline) patient.push(pending);
      else rejectWrite(pending, error);
    }
    waiting = [...patient, ...waiting];
    const deadline = patient[0]?.deadline;
    if (deadline !== undefined) await pause(attempt, deadline);
  }

  return {
    write<T>(write: Write<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const settle = (result: unknown): void => {
          onCommit(write.sessionId);
          resolve(result as T);
        };
        waiting.push({ write, resolve: settle, reject });
        draining ??= drain();
      });
    },
    async idle() {
      while (draining !== undefined) await draining;
    },
  };
}
