import * as fc from "fast-check";
import { fuzz, type Budget, type Replay } from "./budget.ts";
import { Violation } from "./check.ts";

/** A violation that was found with generated values, and the way back to it. */
export class Counterexample extends Violation {
  readonly replay: Replay;

  constructor(message: string, replay: Replay, options?: ErrorOptions) {
    super(message, options);
    this.replay = replay;
  }
}

/**
 * As `fc.assert` with `runs` runs under a budget, but what it throws can be replayed by a machine.
 *
 * @throws Counterexample when the property does not hold
 */
export async function assertProperty<T>(
  property: fc.IAsyncProperty<T>,
  budget: Budget,
  runs: number,
): Promise<void> {
  const found = await fc.check(property, fuzz(budget, runs));
  if (!found.failed) return;
  const { errorInstance: cause, counterexample, counterexamplePath } = found;
  const example = fc.stringify(counterexample).slice(0, longestExample);
  const message = `${messageOf(cause)}\nCounterexample: ${example}`;
  const replayPath = /replayPath="([^"]*)"/.exec(example)?.[1];
  throw new Counterexample(message, { path: counterexamplePath ?? "", replayPath }, { cause });
}

/** Characters of a counterexample that are shown; a shrunk one is far below. */
const longestExample = 4_000;

function messageOf(error: unknown): string {
  if (error instanceof Violation) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
