import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty, Counterexample } from "./assert-property.ts";
import type { Budget } from "./budget.ts";
import { Violation } from "./check.ts";

const budget: Budget = { seed: 1, effort: 1 };

/** Fails for lists that are longer than 2, and keeps those that it saw. */
function short(seen: unknown[]): fc.IAsyncProperty<[number[]]> {
  return fc.asyncProperty(fc.array(fc.nat()), async (list) => {
    seen.push(list);
    if (list.length > 2) throw new Violation("too long");
  });
}

async function failureOf(work: Promise<void>): Promise<Counterexample> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Counterexample);
  return error as Counterexample;
}

describe("assertProperty()", () => {
  it("throws a violation that tells the shrunk counterexample, and leads back to it alone", async () => {
    const error = await failureOf(assertProperty(short([]), budget, 100));
    expect(error).toBeInstanceOf(Violation);
    expect(error.message).toBe("too long\nCounterexample: [[0,0,0]]");
    const seen: unknown[] = [];
    const again = await failureOf(
      assertProperty(short(seen), { ...budget, replay: error.replay }, 100),
    );
    expect(again.message).toBe(error.message);
    expect(seen).toEqual([[0, 0, 0]]);
  });

  it("does as many runs as effort says, and nothing when all hold", async () => {
    let runs = 0;
    const holds = fc.asyncProperty(fc.nat(), async () => void (runs += 1));
    await assertProperty(holds, { seed: 1, effort: 0.5 }, 40);
    expect(runs).toBe(20);
  });

  it("remembers which commands of a model run failed", async () => {
    const command = (fails: boolean): fc.AsyncCommand<object, object> => ({
      check: () => true,
      run: async () => {
        if (fails) throw new Violation("failed");
      },
      toString: () => String(fails),
    });
    const commands = fc.commands([fc.constant(command(false)), fc.constant(command(true))]);
    const property = fc.asyncProperty(commands, (chosen) =>
      fc.asyncModelRun(() => ({ model: {}, real: {} }), chosen),
    );
    const { replay } = await failureOf(assertProperty(property, budget, 50));
    expect(replay.replayPath).toMatch(/^[\w+/=]+:[\w+/=]+$/);
  });
});
