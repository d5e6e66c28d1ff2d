// An anchor watches over a log and changes nothing of what the contract says about it. On disk,
// where a run takes longer, only what its order of steps could spoil is run.

import { describe, test } from "vitest";
import { memoryAnchor } from "../../adapters/memory/index.ts";
import { vitestConformance } from "../../conformance/emitters.ts";
import { fixtureOf } from "../conformance/stores.ts";
import { fileAdapter, memoryAdapter, sixMethodAdapter, sqliteAdapter } from "../stores.ts";
import { storeKind, type Adapter } from "../stores.ts";
import { xorCodec } from "../xor-codec.ts";

function testAnchored(adapter: Adapter, only?: readonly string[]): void {
  const kind = storeKind(adapter, "anchored", xorCodec(), memoryAnchor);
  describe(kind.name, () => vitestConformance(fixtureOf(kind), { describe, test }, { only }));
}

for (const adapter of [memoryAdapter, sixMethodAdapter]) testAnchored(adapter);

/** Order of changes, races, head tokens and handles. */
const steps = ["P13", "P17", "P20", "P21", "P45", "P52", "T1", "T2", "T3", "P57", "P60"];

for (const adapter of [fileAdapter(), sqliteAdapter()]) testAnchored(adapter, steps);
