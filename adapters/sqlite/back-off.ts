import { isBusy } from "./sqlite-errors.ts";

/** A lock is held for one transaction, so waiting longer than this between tries gains nothing. */
const longestPauseMs = 25;

/**
 * Waits a random time that grows with every try. SQLite's own busy handler would sleep inside the
 * call and hold up everything else in this process.
 *
 * @param attempt - 0 for the first pause
 * @param deadline - on the clock of `performance.now()`
 */
export function pause(attempt: number, deadline: number): Promise<void> {
  const longest = Math.min(2 ** attempt, longestPauseMs);
  const left = Math.max(deadline - performance.now(), 0);
  const delay = Math.min(1 + Math.random() * longest, left);
  return new Promise((resolve) => void setTimeout(resolve, delay));
}

/**
 * Runs `work` again and again while another connection is in its way.
 *
 * @param busyTimeoutMs - how long; 0 tries once
 * @throws what `work` throws, the last "busy" included
 */
export async function retryWhileBusy<T>(work: () => T, busyTimeoutMs: number): Promise<T> {
  let deadline: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      deadline ??= performance.now() + busyTimeoutMs;
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await pause(attempt, deadline);
  }
}
