/** Calls that begin when they are planned to, whether or not those before them have ended. */
export interface OpenLoopOptions {
  /** Planned calls a second; the gaps between them are random, as independent users make them. */
  readonly rate: number;
  readonly milliseconds: number;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Makes call number n and resolves when it has ended. */
  readonly call: (number: number) => Promise<unknown>;
  /** Milliseconds from the planned start of call n to its end, so that a call that had to wait tells it. */
  readonly onLatency: (milliseconds: number, number: number) => void;
}

/**
 * Runs an open loop and waits for what it began. A closed loop sends less while a store is slow, and so
 * leaves out of its figures just what a user would have felt (coordinated omission); this one does not.
 *
 * @returns the number of calls
 */
export async function runOpenLoop(options: OpenLoopOptions): Promise<number> {
  const { rate, milliseconds, random, signal, call, onLatency } = options;
  const begin = performance.now();
  const running = new Set<Promise<void>>();
  let failed = false;
  let planned = 0;
  let number = 0;
  const start = (intended: number, place: number): void => {
    const ended = call(place).then(() => onLatency(performance.now() - begin - intended, place));
    running.add(ended);
    ended.then(
      () => running.delete(ended),
      // It stays, and is what the loop ends with.
      () => (failed = true),
    );
  };
  while (planned < milliseconds && !failed) {
    signal.throwIfAborted();
    const now = performance.now() - begin;
    while (planned <= now && planned < milliseconds) {
      start(planned, number);
      number += 1;
      planned += (-Math.log(1 - random()) * 1_000) / rate;
    }
    await pause(planned - (performance.now() - begin));
  }
  await Promise.all(running);
  return number;
}

/** Timers are late by up to a millisecond or two; the rest of the wait lets other work through. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds > 3) setTimeout(resolve, milliseconds - 2);
    else setImmediate(resolve);
  });
}
