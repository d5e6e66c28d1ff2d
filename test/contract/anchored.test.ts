// An anchor watches over a log and changes nothing of what the contract says about it. On disk,
// where a run takes longer, only what its order of steps could spoil is run.

import { memoryAnchor } from "../../adapters/memory/index.ts";
import { fileAdapter, memoryAdapter, sixMethodAdapter, sqliteAdapter } from "../stores.ts";
import { storeKind, type Adapter, type StoreKind } from "../stores.ts";
import { xorCodec } from "../xor-codec.ts";
import { appendOrderRules } from "./append-order.ts";
import { contract, testRules } from "./contract.ts";
import { handleRules } from "./handle.ts";
import { headTokenRules } from "./head-tokens.ts";
import { raceRules } from "./races.ts";

function anchored(adapter: Adapter): StoreKind {
  return storeKind(adapter, "anchored", xorCodec(), memoryAnchor);
}

for (const adapter of [memoryAdapter, sixMethodAdapter]) testRules(anchored(adapter), contract);

for (const adapter of [fileAdapter(), sqliteAdapter()]) {
  testRules(anchored(adapter), [appendOrderRules, raceRules, headTokenRules, handleRules]);
}
