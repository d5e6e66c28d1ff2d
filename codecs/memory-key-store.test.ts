import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { SessionKeyStore } from "../src/index.ts";
import { describeKeyStore, someKey } from "../test/codecs/key-store-rules.ts";
import { memoryKeyStore } from "./index.ts";

describeKeyStore("memoryKeyStore()", () => {
  const store = memoryKeyStore();
  const handles: SessionKeyStore[] = [];
  return {
    // One object is the place; closing it ends it for all, so only the first handle may.
    open() {
      const handle = handles.length === 0 ? store : { ...store, close: async () => undefined };
      handles.push(handle);
      return handle;
    },
    dispose: () => undefined,
  };
});

test("memoryKeyStore() prints as nothing but its name", async () => {
  const store = memoryKeyStore();
  await store.add("s", someKey());
  expect(inspect(store, { depth: null, showHidden: true })).toBe("SessionKeyStore in memory");
  expect(JSON.stringify(store)).toBe('"SessionKeyStore in memory"');
});
