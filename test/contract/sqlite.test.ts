import { sqliteAdapter, codecKinds } from "../stores.ts";
import { contract, testRules } from "./contract.ts";

for (const kind of codecKinds(sqliteAdapter())) testRules(kind, contract);
