/**
 * Marks work that is awaited later as somebody's: a case that fails before it gets there must not end
 * the process with an unhandled rejection. Whoever awaits the result still gets it.
 */
export function begin<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
