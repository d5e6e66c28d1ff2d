import { describe, test } from "vitest";
import type { StoreKind } from "../stores.ts";
import type { RuleGroup } from "./rule.ts";

/** Declares one test per rule, each on a store of its own. */
export function testRules(kind: StoreKind, groups: readonly RuleGroup[]): void {
  describe(kind.name, () => {
    for (const { name, rules } of groups) {
      describe(name, () => {
        test.each(rules)("$name", async ({ run }) => {
          const store = kind.create();
          try {
            await run(store);
          } finally {
            await store.dispose();
          }
        });
      });
    }
  });
}
