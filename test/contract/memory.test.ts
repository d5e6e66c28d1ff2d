import { memoryAdapter, codecKinds } from "../stores.ts";
import { contract, testRules } from "./contract.ts";

for (const kind of codecKinds(memoryAdapter)) testRules(kind, contract);
