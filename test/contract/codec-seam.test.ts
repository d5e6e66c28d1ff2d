import { adapters, storeKind } from "../stores.ts";
import { codecFaultRules } from "./codec-faults.ts";
import { codecSeamRules } from "./codec-seam.ts";
import { testRules } from "./test-rules.ts";

// The rules open handles with codecs of their own, so one kind per adapter is enough.
for (const adapter of adapters) {
  testRules(storeKind(adapter, "own codecs"), [codecSeamRules, codecFaultRules]);
}
