import assert from "node:assert/strict";
import { isCheckpointError, type ErrorCode } from "../src/index.ts";
import { collect } from "./collect.ts";
import { stateOf, type Handle } from "./session-state.ts";

/**
 * The assertions of the suite. Each counts, so that a property whose checks were lost is noticed: the
 * number per property is written down in the suite's own tests.
 */
export interface Check {
  /** How many have been made. */
  readonly count: number;
  /** Deeply equal, prototypes and key order of no account. */
  equal(met: unknown, wanted: unknown, what?: string): void;
  /** The same value. */
  same(met: unknown, wanted: unknown, what?: string): void;
  /** Another value. */
  differs(met: unknown, other: unknown, what?: string): void;
  /** `met` has at least the properties of `wanted`. */
  matches(met: unknown, wanted: object, what?: string): void;
  /** `what` holds. */
  ok(holds: boolean, what: string): void;
  /** Not below. */
  atLeast(met: number, least: number, what?: string): void;
  /** Not above. */
  atMost(met: number, most: number, what?: string): void;
  /** One of the list. */
  includes(list: readonly unknown[], item: unknown, what?: string): void;
  /** `work` fails with one of the codes; returns the error. */
  fails(
    work: Promise<unknown> | AsyncIterable<unknown>,
    ...codes: readonly ErrorCode[]
  ): Promise<unknown>;
  /** `work` does not fail; `what` says why it should not. */
  succeeds(work: Promise<unknown>, what: string): Promise<void>;
  /** `work` conflicts, and says which head was wanted and which was met. */
  conflicts(work: Promise<unknown>, wanted: Partial<ConflictFields>): Promise<void>;
  /** `work` refuses garbage, which is a TypeError or RangeError. */
  refuses(work: Promise<unknown> | AsyncIterable<unknown>, garbage: unknown): Promise<void>;
  /** `work` changes nothing that a user of the store can see. */
  changesNothing<T>(handle: Handle, work: () => Promise<T>): Promise<T>;
}

/** What a conflict says. */
export interface ConflictFields {
  readonly sessionId: string;
  readonly expected: unknown;
  readonly actual: number;
}

/** A failed assertion: the store's fault, not an error of the suite. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** What `work` fails with. */
export async function failureOf(work: Promise<unknown> | AsyncIterable<unknown>): Promise<unknown> {
  try {
    await (Symbol.asyncIterator in work ? collect(work) : work);
  } catch (error) {
    return error;
  }
  throw new Violation("wanted a rejection, met a result");
}

/** New assertions, none made yet. */
export function createCheck(): Check {
  let count = 0;
  const check = (what: string | undefined, assertion: () => void): void => {
    count += 1;
    try {
      assertion();
    } catch (error) {
      throw violation(error, what);
    }
  };
  return {
    get count() {
      return count;
    },
    equal: (met, wanted, what) =>
      check(what, () => assert.deepStrictEqual(plain(met), plain(wanted))),
    same: (met, wanted, what) => check(what, () => assert.strictEqual(met, wanted)),
    differs: (met, other, what) => check(what, () => assert.notStrictEqual(met, other)),
    matches: (met, wanted, what) =>
      check(what, () => assert.deepStrictEqual(plain(partOf(met, wanted)), plain(wanted))),
    ok: (holds, what) => check(what, () => assert.ok(holds, "does not hold")),
    atLeast: (met, least, what) =>
      check(what, () => assert.ok(met >= least, `met ${met}, wanted at least ${least}`)),
    atMost: (met, most, what) =>
      check(what, () => assert.ok(met <= most, `met ${met}, wanted at most ${most}`)),
    includes: (list, item, what) =>
      check(what, () => assert.ok(list.includes(item), `${show(item)} is not in ${show(list)}`)),
    async fails(work, ...codes) {
      const error = await failureOf(work);
      check(undefined, () => {
        const expected = codes.some((code) => isCheckpointError(error, code));
        if (!expected) throw new Violation(`wanted ${codes.join(" or ")}, met ${show(error)}`);
      });
      return error;
    },
    async succeeds(work, what) {
      const [result] = await Promise.allSettled([work]);
      check(what, () => {
        if (result.status === "rejected") throw new Violation(`met ${show(result.reason)}`);
      });
    },
    async conflicts(work, wanted) {
      const error = await failureOf(work);
      check(undefined, () => {
        if (!isCheckpointError(error, "CONFLICT"))
          throw new Violation(`wanted CONFLICT, met ${show(error)}`);
        assert.deepStrictEqual(plain(partOf(error, wanted)), plain(wanted));
      });
    },
    async refuses(work, garbage) {
      const error = await failureOf(work);
      check(undefined, () => {
        const refused = error instanceof TypeError || error instanceof RangeError;
        if (!refused)
          throw new Violation(`${show(garbage)} is not refused as garbage: ${show(error)}`);
      });
    },
    async changesNothing(handle, work) {
      const before = await stateOf(handle);
      const result = await work();
      const after = await stateOf(handle);
      check("what a refusal may not change", () => assert.deepStrictEqual(after, before));
      return result;
    },
  };
}

function violation(error: unknown, what: string | undefined): Violation {
  const { message } = error as Error;
  return new Violation(what === undefined ? message : `${what}: ${message}`, { cause: error });
}

/** The properties of `met` that `wanted` names, at any depth. */
function partOf(met: unknown, wanted: unknown): unknown {
  if (!isObject(met) || !isObject(wanted)) return met;
  if (Array.isArray(met)) {
    return met.map((one: unknown, index) => partOf(one, wanted[index]));
  }
  const entries = Object.keys(wanted).map((name) => [name, partOf(met[name], wanted[name])]);
  return Object.fromEntries(entries) as unknown;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A copy without prototypes, so that only content is compared. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}

function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
