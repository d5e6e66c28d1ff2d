import { CheckpointError, quote } from "./errors.ts";
import { limits } from "./limits.ts";
import { typeName } from "./head-token.ts";
import { utf8Length } from "./utf8.ts";

/**
 * The JSON text of an event, exactly: what `JSON.parse` gives back equals what came in. Properties
 * whose value is `undefined` count as absent, and -0 becomes 0, as in JSON.
 *
 * @param index - position in the append, for the error message
 * @throws CheckpointError `EVENT_NOT_SERIALIZABLE`, naming the path, for whatever JSON would change or
 * drop (dates, maps, bigints, NaN, functions, cycles, class instances, holes, ...);
 * `LIMIT_EXCEEDED` when nested too deeply or too long
 */
export function serializeEvent(event: unknown, index: number, maxEventBytes: number): string {
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    throw notSerializable(index, "$", `is ${typeName(event)}, wanted a JSON object`);
  }
  budget = maxEventBytes;
  if (!isJson(event, 1)) explain(event, index, maxEventBytes);
  let text: string;
  try {
    text = JSON.stringify(event);
  } catch (cause) {
    throw notSerializable(index, "$", "changed while it was read", { cause });
  }
  // A UTF-16 unit takes at most three bytes, so small events need no count.
  if (text.length * 3 > maxEventBytes) {
    const bytes = utf8Length(text);
    if (bytes > maxEventBytes) {
      throw limitExceeded(index, `${bytes} bytes of JSON, wanted at most ${maxEventBytes}`);
    }
  }
  return text;
}

/** Values that may still be visited; an object graph that shares nodes can unfold without end. */
let budget = 0;

/** The fast check, which only says yes or no. `explain` finds out why not. */
function isJson(value: unknown, depth: number): boolean {
  // Not a switch, for which V8 makes the name of the type and compares strings.
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  if (depth > limits.maxEventDepth || (budget -= 1) < 0) return false;
  if (Array.isArray(value)) {
    if (!isPlainArray(value)) return false;
    for (const item of value) if (!isJson(item, depth + 1)) return false;
    return true;
  }
  if (!isPlainObject(value)) return false;
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined && !isJson(item, depth + 1)) return false;
  }
  return true;
}

/** A dense array with nothing but its items, and the prototype of an array of this realm. */
function isPlainArray(value: readonly unknown[]): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Array.prototype || isArrayPrototype(prototype)) &&
    Object.keys(value).length === value.length &&
    Object.getOwnPropertySymbols(value).length === 0 &&
    !("toJSON" in value)
  );
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !isObjectPrototype(prototype)) {
    return false;
  }
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  return typeof (value as { toJSON?: unknown }).toJSON !== "function";
}

/** Recognises `Object.prototype` of another realm, such as a vm context or an iframe. */
function isObjectPrototype(value: unknown): boolean {
  return Object.getPrototypeOf(value) === null && Object.hasOwn(value as object, "isPrototypeOf");
}

/** The same for `Array.prototype`; the prototype of a subclass has no such method of its own. */
function isArrayPrototype(value: unknown): boolean {
  return Array.isArray(value) && Object.hasOwn(value, "copyWithin");
}

/** Finds the first thing JSON cannot carry and throws; called only after `isJson` said no. */
function explain(event: object, index: number, maxValues: number): never {
  let left = maxValues;
  const ancestors: unknown[] = [];
  const visit = (value: unknown, path: string): void => {
    const fault = faultOf(value, ancestors);
    if (fault !== null) throw notSerializable(index, path, fault);
    if (typeof value !== "object" || value === null) return;
    if ((left -= 1) < 0) throw tooMany(index);
    if (ancestors.length >= limits.maxEventDepth) {
      throw limitExceeded(index, `nested deeper than ${limits.maxEventDepth} levels`);
    }
    ancestors.push(value);
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key];
      if (item !== undefined || Array.isArray(value)) visit(item, join(path, key, value));
    }
    ancestors.pop();
  };
  visit(event, "$");
  throw tooMany(index);
}

function faultOf(value: unknown, ancestors: readonly unknown[]): string | null {
  switch (typeof value) {
    case "string":
    case "boolean":
      return null;
    case "number":
      return Number.isFinite(value) ? null : `is ${value}`;
    case "undefined":
      return "is undefined";
    case "object":
      break;
    default:
      return `is a ${typeof value}`;
  }
  if (value === null) return null;
  if (ancestors.includes(value)) return "refers back to an object that holds it";
  if (Array.isArray(value)) {
    if (isPlainArray(value)) return null;
    const keys = Object.keys(value).length;
    if (keys < value.length) return "is an array with holes";
    return keys > value.length ? "is an array with other properties" : "is not a plain array";
  }
  if (isPlainObject(value)) return null;
  if (Object.getOwnPropertySymbols(value).length > 0) return "has a symbol as a key";
  if (
    typeof (value as { toJSON?: unknown }).toJSON === "function" &&
    plainName(value) === "Object"
  ) {
    return "has a toJSON method";
  }
  return `is an instance of ${plainName(value)}`;
}

function plainName(value: object): string {
  const constructor: unknown = (value as { constructor?: unknown }).constructor;
  const name: unknown = typeof constructor === "function" ? constructor.name : undefined;
  return typeof name === "string" && /^[\w$]{1,40}$/.test(name) ? name : "a class";
}

function join(path: string, key: string, parent: object): string {
  if (Array.isArray(parent) && /^\d+$/.test(key)) return `${path}[${key}]`;
  return /^[A-Za-z_$][\w$]{0,60}$/.test(key) ? `${path}.${key}` : `${path}[${quote(key)}]`;
}

function notSerializable(
  index: number,
  path: string,
  fault: string,
  options?: ErrorOptions,
): CheckpointError {
  // A hostile or deep structure must not make a message of megabytes.
  const shown = path.length > 300 ? `${path.slice(0, 140)}...${path.slice(-140)}` : path;
  const message = `Cannot append event ${index}: ${shown} ${fault}; JSON cannot carry it`;
  return new CheckpointError("EVENT_NOT_SERIALIZABLE", message, options);
}

function tooMany(index: number): CheckpointError {
  return limitExceeded(index, "more values than its JSON text may have bytes");
}

function limitExceeded(index: number, detail: string): CheckpointError {
  return new CheckpointError("LIMIT_EXCEEDED", `Cannot append event ${index}: ${detail}`);
}
