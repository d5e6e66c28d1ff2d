import { expect } from "vitest";
import { failureOf } from "../../conformance/check.ts";
import { stateOf } from "../../conformance/session-state.ts";
import { isCheckpointError, type ErrorCode } from "../../src/index.ts";
import type { Handle, StoreFixture } from "../stores.ts";

/** One sentence of the contract and how to check it, for what needs codecs of its own. */
export interface Rule {
  /** Present tense, starts with the method it is about. */
  readonly name: string;
  readonly run: (store: StoreFixture) => Promise<void>;
}

/** Rules about one topic. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** Runs `work` and checks that it changed nothing. */
export async function expectNoChange<T>(handle: Handle, work: () => Promise<T>): Promise<T> {
  const before = await stateOf(handle);
  const result = await work();
  expect(await stateOf(handle)).toEqual(before);
  return result;
}

/** Checks that `work` fails with a code. */
export async function expectCode(
  work: Promise<unknown> | AsyncIterable<unknown>,
  code: ErrorCode,
): Promise<void> {
  const error = await failureOf(work);
  if (!isCheckpointError(error, code)) throw error;
}
