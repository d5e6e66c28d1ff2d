// Generated sequences of calls run on a store and on the obvious model of the contract, and every
// answer has to be the same. Then the same for appends that are issued at once on one handle, which
// must act as if they had been issued one after the other.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  codecKinds,
  fileAdapter,
  memoryAdapter,
  sixMethodAdapter,
  sqliteAdapter,
} from "../stores.ts";
import type { Adapter, StoreKind } from "../stores.ts";
import { appendPlan, commands, expectSame, resolve, resultOf, toModel } from "./commands.ts";
import type { AppendPlan, Real } from "./commands.ts";
import { fuzz } from "./fuzz.ts";
import { Model } from "./model.ts";
import { openMany } from "./rule.ts";

type Program = typeof commands extends fc.Arbitrary<infer T> ? T : never;

/** Without syncs and waiting for locks, so that there is time for more runs. */
const adapters: readonly Adapter[] = [
  memoryAdapter,
  sixMethodAdapter,
  fileAdapter({ durability: "process", lockLingerMs: 0 }),
  sqliteAdapter(),
];

async function runCommands(kind: StoreKind, program: Program) {
  const store = kind.create();
  const model = new Model();
  try {
    const real: Real = { store, handles: openMany(store, 3), tokens: [] };
    await fc.asyncModelRun(() => ({ model, real }), program);
    await expectSame(model, store.open());
  } finally {
    await store.dispose();
  }
}

/** Issues appends without awaiting and compares with the model, which takes them in turn. */
async function runAtOnce(kind: StoreKind, plans: readonly AppendPlan[]): Promise<void> {
  const store = kind.create();
  const model = new Model();
  try {
    const handle = store.open();
    const calls = plans.map((plan) => {
      const expected = resolve(model, { tokens: [] }, "a", plan.expectation);
      const wanted = model.append("a", toModel(plan, expected.model));
      const options = { expectedHead: expected.real, idempotencyKey: plan.key };
      return { wanted, result: resultOf(handle.append("a", plan.events, options)) };
    });
    for (const { wanted, result } of calls) expect(await result).toEqual(wanted);
    await expectSame(model, store.open());
  } finally {
    await store.dispose();
  }
}

for (const kind of adapters.flatMap(codecKinds)) {
  describe(kind.name, () => {
    test("behaves like the model", async () => {
      const check = fc.asyncProperty(commands, (program) => runCommands(kind, program));
      await fc.assert(check, fuzz(100));
    });

    test("merges appends that are issued at once without changing what they mean", async () => {
      const plans = fc.array(appendPlan, { maxLength: 50, size: "max" });
      await fc.assert(
        fc.asyncProperty(plans, (many) => runAtOnce(kind, many)),
        fuzz(20),
      );
    });
  });
}
