import type { AppendOptions, ListOptions, ReadOptions } from "./checkpointer.ts";
import { CheckpointError } from "./errors.ts";
import { parseExpectedHead, requireSeq, typeName } from "./head-token.ts";
import { limits } from "./limits.ts";
import type { Base, ListPage, RecordRange } from "./record-store.ts";
import { utf8Length } from "./utf8.ts";

/** The third argument of `append`, in one form. */
export interface ResolvedAppend {
  readonly expected: Base | null;
  readonly expectedHead: number | string;
  readonly key: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Accepts a seq, a token, an options object or nothing; garbage is never "no check". */
export function resolveAppend(expected: unknown): ResolvedAppend {
  if (expected === undefined) return nothingExpected;
  if (typeof expected === "object" && expected !== null && !Array.isArray(expected)) {
    const { expectedHead, idempotencyKey, signal } = expected as AppendOptions;
    requireSignal(signal);
    return {
      expected: expectedHead === undefined ? null : parseExpectedHead(expectedHead),
      expectedHead: expectedHead ?? 0,
      key: resolveKey(idempotencyKey),
      signal,
    };
  }
  const base = parseExpectedHead(expected);
  return { ...nothingExpected, expected: base, expectedHead: expected as number | string };
}

const nothingExpected: ResolvedAppend = Object.freeze({
  expected: null,
  expectedHead: 0,
  key: undefined,
  signal: undefined,
});

function resolveKey(key: unknown): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== "string") {
    throw new TypeError(`idempotencyKey: wanted a string, met ${typeName(key)}`);
  }
  if (key.length === 0 || key.includes("\0") || !key.isWellFormed()) {
    throw new RangeError("idempotencyKey: wanted a non-empty, well-formed string without U+0000");
  }
  const bytes = utf8Length(key);
  if (bytes > limits.maxIdempotencyKeyBytes) {
    const most = limits.maxIdempotencyKeyBytes;
    throw new RangeError(`idempotencyKey: wanted at most ${most} UTF-8 bytes, met ${bytes}`);
  }
  return key;
}

/** Fills in the defaults of `read`. */
export function resolveRange(options: ReadOptions): RecordRange {
  const { sinceSeq = 0, untilSeq = Number.MAX_SAFE_INTEGER, limit = Infinity } = options;
  const { reverse = false, signal } = options;
  requireSeq("sinceSeq", sinceSeq);
  requireSeq("untilSeq", untilSeq);
  if (limit !== Infinity) requireSeq("limit", limit);
  if (typeof reverse !== "boolean") {
    throw new TypeError(`reverse: wanted a boolean, met ${typeName(reverse)}`);
  }
  requireSignal(signal);
  return { sinceSeq, untilSeq, limit, reverse };
}

/** Fills in the defaults of `list`. */
export function resolveListPage(options: ListOptions): ListPage {
  const { limit = limits.defaultListLimit, cursor, prefix = "" } = options;
  requireSeq("limit", limit);
  if (typeof prefix !== "string") {
    throw new TypeError(`prefix: wanted a string, met ${typeName(prefix)}`);
  }
  if (cursor === undefined) return { limit, prefix };
  const { id, mtime } = requireOptions("cursor", cursor);
  if (typeof id !== "string" || typeof mtime !== "number" || !Number.isFinite(mtime)) {
    throw new TypeError("cursor: wanted the last entry of the page before, met something else");
  }
  return { limit, prefix, cursor: { id, mtime } };
}

/** Checks that an options argument is an object or absent. */
export function requireOptions<T extends object>(name: string, options: T | undefined): T {
  if (options === undefined) return {} as T;
  if (typeof options === "object" && options !== null && !Array.isArray(options)) return options;
  throw new TypeError(`${name}: wanted an object, met ${typeName(options)}`);
}

/** Checks that a signal is one (of any realm), or absent. */
export function requireSignal(signal: unknown): void {
  if (signal === undefined) return;
  const { aborted, addEventListener } = Object(signal) as Partial<AbortSignal>;
  if (typeof aborted === "boolean" && typeof addEventListener === "function") return;
  throw new TypeError(`signal: wanted an AbortSignal, met ${typeName(signal)}`);
}

/** Checks the events of an append as a whole; each is checked when it is serialised. */
export function requireEvents(events: unknown, most: number): asserts events is unknown[] {
  if (!Array.isArray(events)) {
    throw new TypeError(`events: wanted an array, met ${typeName(events)}`);
  }
  if (events.length > most) {
    const detail = `${events.length} events in one append, wanted at most ${most}`;
    throw new CheckpointError("LIMIT_EXCEEDED", `Cannot append: ${detail}`);
  }
}
