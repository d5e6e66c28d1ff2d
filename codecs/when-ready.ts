/**
 * Calls `use` with a value, at once when it is there and later when it is a promise, so that one piece
 * of code serves synchronous and asynchronous parts and a synchronous pipeline stays synchronous.
 */
export function whenReady<T, R>(
  value: T | Promise<T>,
  use: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
