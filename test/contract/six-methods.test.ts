import { codecKinds, sixMethodAdapter } from "../stores.ts";
import { contract, testRules } from "./contract.ts";

// A backend author who writes only the six methods gets the whole contract.
for (const kind of codecKinds(sixMethodAdapter)) testRules(kind, contract);
