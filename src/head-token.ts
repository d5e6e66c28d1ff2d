import type { HeadToken } from "./checkpointer.ts";
import type { Base, LogHead } from "./record-store.ts";

/** The token of a head. An absent session has the token `":0"`. */
export function headTokenOf(head: LogHead | null): HeadToken {
  return head === null ? ":0" : `${head.generation}:${head.seq}`;
}

/**
 * What a caller expects, as the base a store compares.
 *
 * @throws TypeError or RangeError for anything that is not a seq or a well-formed token; garbage is
 * never "no check"
 */
export function parseExpectedHead(expected: unknown): Base {
  if (typeof expected === "number") {
    requireSeq("expectedHead", expected);
    return { seq: expected };
  }
  if (typeof expected === "string") {
    const match = /^([^:]*):(0|[1-9][0-9]{0,15})$/.exec(expected);
    const seq = Number(match?.[2]);
    if (match !== null && Number.isSafeInteger(seq)) return { generation: match[1] ?? "", seq };
    throw new TypeError(`expectedHead: wanted a seq or a head token, met another string`);
  }
  throw new TypeError(`expectedHead: wanted a seq or a head token, met ${typeName(expected)}`);
}

/** Whether a head (null: absent) is the one that `base` insists on. */
export function matchesBase(head: LogHead | null, base: Base | null): boolean {
  if (base === null) return true;
  if (base.seq !== (head?.seq ?? 0)) return false;
  return base.generation === undefined || base.generation === (head?.generation ?? "");
}

/** Checks that `value` is a whole number from 0 to 2^53-1. */
export function requireSeq(name: string, value: unknown): asserts value is number {
  if (typeof value !== "number") {
    throw new TypeError(`${name}: wanted a whole number from 0, met ${typeName(value)}`);
  }
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${name}: wanted a whole number from 0 to 2^53-1, met ${value}`);
  }
}

/** The type of a value as a sentence names it. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : typeof value;
}
