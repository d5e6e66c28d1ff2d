import { describe, test } from "vitest";
import { vitestConformance } from "../../conformance/emitters.ts";
import { codecKinds, fileAdapter, sqliteAdapter } from "../stores.ts";
import { fixtureOf } from "./stores.ts";

for (const kind of [fileAdapter(), sqliteAdapter()]
  .flatMap(codecKinds)
  .filter((k) => /plain/.test(k.name))) {
  describe(kind.name, () => vitestConformance(fixtureOf(kind), { describe, test }));
}
