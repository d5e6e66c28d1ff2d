/**
 * Freezes an object and makes a label all that it shows, however it is printed: by `String()`,
 * `JSON.stringify` or `util.inspect`.
 */
export function labelled<T extends object>(object: T, label: () => string): Readonly<T> {
  for (const name of ["toJSON", "toString", Symbol.for("nodejs.util.inspect.custom")]) {
    Object.defineProperty(object, name, { value: label });
  }
  return Object.freeze(object);
}
