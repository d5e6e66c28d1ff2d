// The suite's model over every adapter and codec, with more runs than a certification takes: generated
// sequences of calls, and appends that are issued at once on one handle.

import { describe, test } from "vitest";
import { createContext, type Context } from "../../conformance/context.ts";
import { runAtOnce, runSequentially } from "../../conformance/model/run-model.ts";
import { fixtureOf } from "../conformance/stores.ts";
import {
  codecKinds,
  fileAdapter,
  memoryAdapter,
  sixMethodAdapter,
  sqliteAdapter,
} from "../stores.ts";
import type { Adapter, StoreKind } from "../stores.ts";
import { fuzz } from "./fuzz.ts";

/** Without syncs and waiting for locks, so that there is time for more runs. */
const adapters: readonly Adapter[] = [
  memoryAdapter,
  sixMethodAdapter,
  fileAdapter({ durability: "process", lockLingerMs: 0 }),
  sqliteAdapter(),
];

/** Runs a check of the model; at effort 1 it makes 40 sequences, or 20 that are issued at once. */
async function check(kind: StoreKind, runs: (context: Context) => Promise<void>): Promise<void> {
  const { seed, numRuns } = fuzz(100);
  const context = await createContext(fixtureOf(kind), { seed, effort: numRuns / 40 });
  try {
    await runs(context);
  } finally {
    await context.dispose();
  }
}

for (const kind of adapters.flatMap(codecKinds)) {
  describe(kind.name, () => {
    test("behaves like the model", () => check(kind, runSequentially));

    test("merges appends that are issued at once without changing what they mean", () =>
      check(kind, runAtOnce));
  });
}
