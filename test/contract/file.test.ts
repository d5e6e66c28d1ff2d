import { fileAdapter, codecKinds } from "../stores.ts";
import { contract, testRules } from "./contract.ts";

for (const kind of codecKinds(fileAdapter())) testRules(kind, contract);
