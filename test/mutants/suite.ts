// The suite over the engine and the memory adapter, as the only tests that mutants have to survive. Its cases are short
// ones, since each mutant runs them anew; limits of 16 MiB and paths outside the store have nothing to find here.

import { describe, test } from "vitest";
import { memoryStore } from "../../adapters/memory/index.ts";
import {
  pacedStore,
  properties,
  vitestConformance,
  type CreateFixture,
} from "../../conformance/index.ts";
import { createCheckpointer, type EventObject } from "../../src/index.ts";
import { fixtureOf } from "../conformance/stores.ts";
import { codecKinds, sixMethodAdapter, type Handle } from "../stores.ts";

const memory: CreateFixture = () => {
  const store = memoryStore();
  let handle: Handle | undefined;
  return {
    name: "memory",
    open: () => (handle ??= createCheckpointer<EventObject>(store)),
    openPaced: (pace) => createCheckpointer<EventObject>(pacedStore(store, pace)),
    dispose: () => handle?.close(),
  };
};

const only = properties.map(({ id }) => id).filter((id) => id !== "M3" && id !== "P41");
const options = { patience: 6_000, effort: 0.3, only };

describe("memory", () => vitestConformance(memory, { describe, test }, options));
for (const kind of codecKinds(sixMethodAdapter).slice(0, 2)) {
  describe(kind.name, () => vitestConformance(fixtureOf(kind), { describe, test }, options));
}
