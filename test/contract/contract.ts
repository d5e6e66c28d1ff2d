import { describe, test } from "vitest";
import type { StoreKind } from "../stores.ts";
import { appendOrderRules } from "./append-order.ts";
import { appendRules } from "./append.ts";
import { deleteRules } from "./delete.ts";
import { expectedHeadRules } from "./expected-head.ts";
import { fidelityRules } from "./fidelity.ts";
import { forkRules } from "./fork.ts";
import { handleRules } from "./handle.ts";
import { headTokenRules } from "./head-tokens.ts";
import { idempotencyRules } from "./idempotency.ts";
import { listRules } from "./list.ts";
import { logChangedRules } from "./log-changed.ts";
import { raceRules } from "./races.ts";
import { readLoopRules } from "./read-loop.ts";
import { readRangeRules } from "./read-range.ts";
import type { Rule, RuleGroup } from "./rule.ts";
import { sessionIdRules } from "./session-ids.ts";
import { tailRules } from "./tail.ts";
import { truncateRules } from "./truncate.ts";

/** Every rule that holds for every store, whatever its codec. */
export const contract: readonly RuleGroup[] = [
  appendRules,
  appendOrderRules,
  expectedHeadRules,
  raceRules,
  headTokenRules,
  idempotencyRules,
  fidelityRules,
  readRangeRules,
  readLoopRules,
  logChangedRules,
  sessionIdRules,
  listRules,
  deleteRules,
  truncateRules,
  forkRules,
  tailRules,
  handleRules,
];

/** Declares one test per rule, each on a store of its own. */
export function testRules(kind: StoreKind, groups: readonly RuleGroup[]): void {
  describe(kind.name, () => {
    for (const { name, rules } of groups) {
      describe(name, () => {
        for (const rule of rules) test(rule.name, () => runRule(kind, rule));
      });
    }
  });
}

/** Runs a rule on a fresh store. */
export async function runRule(kind: StoreKind, rule: Rule): Promise<void> {
  const store = kind.create();
  try {
    await rule.run(store);
  } finally {
    await store.dispose();
  }
}
