import { describe, test } from "vitest";
import { vitestConformance } from "../../conformance/emitters.ts";
import { codecKinds, memoryAdapter, sixMethodAdapter } from "../stores.ts";
import { fixtureOf } from "./stores.ts";

for (const kind of [memoryAdapter, sixMethodAdapter].flatMap(codecKinds)) {
  describe(kind.name, () => vitestConformance(fixtureOf(kind), { describe, test }));
}
