/** Runs work once for all callers that want the same at the same time. */
export type SingleFlight<T> = (slot: string, work: () => Promise<T>) => Promise<T>;

/**
 * @param isNegative - whether an error says "there is none", which may have changed since the
 * flight began: a caller that joined it later asks once more. Other failures are shared.
 */
export function createSingleFlight<T>(isNegative: (error: unknown) => boolean): SingleFlight<T> {
  const flights = new Map<string, { readonly number: number; readonly result: Promise<T> }>();
  let begun = 0;

  async function fly(slot: string, work: () => Promise<T>): Promise<T> {
    // The flight is known before anything can fail.
    await Promise.resolve();
    try {
      return await work();
    } finally {
      flights.delete(slot);
    }
  }

  return async (slot, work) => {
    const begunBefore = begun;
    for (;;) {
      let flight = flights.get(slot);
      if (flight === undefined) {
        begun += 1;
        flight = { number: begun, result: fly(slot, work) };
        flights.set(slot, flight);
      }
      try {
        return await flight.result;
      } catch (error) {
        if (flight.number > begunBefore || !isNegative(error)) throw error;
      }
    }
  };
}
