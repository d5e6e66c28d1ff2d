// A test that cannot fail proves nothing. Each store here has one fault that stores in the field
// have had, and the rules that claim to notice it must fail on it; on good stores they pass, as the
// other tests show.

import { describe, expect, test } from "vitest";
import { memoryStore } from "../../adapters/memory/index.ts";
import { createCheckpointer, type EventObject, type RecordStore } from "../../src/index.ts";
import { sixMethods, withoutClose } from "../six-methods.ts";
import { storeKind, type Adapter, type Handle } from "../stores.ts";
import { brokenHandles } from "./broken-handles.ts";
import { brokenReaders } from "./broken-readers.ts";
import { brokenWriters, type BrokenStore } from "./broken-stores.ts";
import { contract, runRule } from "./contract.ts";
import type { Rule } from "./rule.ts";

const brokenStores: readonly BrokenStore[] = [...brokenWriters, ...brokenReaders];

/** Handles that each break their own view of one shared store. */
function sharing(name: string, open: (good: RecordStore) => Handle): Adapter {
  return {
    name,
    inMemory: true,
    connect() {
      const good = withoutClose(sixMethods(memoryStore()));
      return () => open(good);
    },
  };
}

function ruleNamed(name: string): Rule {
  const rule = contract.flatMap(({ rules }) => rules).find((one) => one.name === name);
  if (rule === undefined) throw new Error(`there is no rule ${name}`);
  return rule;
}

function testFault(
  { fault, caughtBy }: Pick<BrokenStore, "fault" | "caughtBy">,
  open: (good: RecordStore) => Handle,
): void {
  const kind = storeKind(sharing(fault, open), "plain");
  describe(`a store that ${fault}`, () => {
    test.each(caughtBy)("fails: %s", async (name) => {
      await expect(runRule(kind, ruleNamed(name))).rejects.toThrow();
    });
  });
}

for (const broken of brokenStores) {
  testFault(broken, (good) => createCheckpointer<EventObject>(broken.break(good)));
}

for (const broken of brokenHandles) {
  testFault(broken, (good) => broken.break(createCheckpointer<EventObject>(good)));
}

test("every group of rules has a fault that it catches", () => {
  const catching = new Set([...brokenStores, ...brokenHandles].flatMap(({ caughtBy }) => caughtBy));
  const idle = contract.filter(({ rules }) => !rules.some(({ name }) => catching.has(name)));
  expect(idle.map(({ name }) => name)).toEqual([]);
});

test("every rule has a name of its own", () => {
  const names = contract.flatMap(({ rules }) => rules.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
});
