/** Throws a TypeError, in one line, for a value that is not what is wanted at `path`. */
export type Check = (value: unknown, path: string) => void;

/** A string. */
export const text: Check = (value, path) => {
  if (typeof value !== "string") throw mismatch("a string", value, path);
};

/** A number; JSON has 1e999, which is none. */
export const finite: Check = (value, path) => {
  if (!Number.isFinite(value)) throw mismatch("a number", value, path);
};

/** A number that is not below zero. */
export const amount: Check = (value, path) => {
  finite(value, path);
  if (Number(value) < 0) throw mismatch("a number from 0", value, path);
};

/** A whole number. */
export const integer: Check = (value, path) => {
  if (!Number.isSafeInteger(value)) throw mismatch("a whole number", value, path);
};

/** One of some strings. */
export function oneOf(...values: readonly string[]): Check {
  return (value, path) => {
    if (typeof value === "string" && values.includes(value)) return;
    throw mismatch(values.map((one) => JSON.stringify(one)).join(" or "), value, path);
  };
}

/** What `check` wants, or null. */
export function nullable(check: Check): Check {
  return (value, path) => {
    if (value !== null) check(value, path);
  };
}

/** An array of what `check` wants. */
export function list(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) throw mismatch("an array", value, path);
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`);
  };
}

/** An object with at least these members: whoever wrote it may know more. */
export function object<T>(members: { readonly [name in keyof T]-?: Check }): Check {
  return (value, path) => {
    if (!isObject(value)) throw mismatch("an object", value, path);
    for (const [name, check] of Object.entries<Check>(members)) {
      const inside = path === "" ? name : `${path}.${name}`;
      check(Object.hasOwn(value, name) ? value[name] : undefined, inside);
    }
  };
}

/** Whether something is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error for a value that is not what is wanted. */
export function mismatch(wanted: string, met: unknown, path: string): TypeError {
  const place = path === "" ? "" : ` at ${path}`;
  return new TypeError(`Not a bench report: wanted ${wanted}${place}, met ${describe(met)}`);
}

/** Not the texts: whatever file was taken for a report, its content belongs in no message. */
function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "number") return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "a string" : "true or false";
}
