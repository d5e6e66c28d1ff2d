// The emitters take the functions of each runner as they are.

import { describe as nodeDescribe, test as nodeTest } from "node:test";
import { describe, test } from "vitest";
import { memoryCheckpointer } from "../adapters/memory/index.ts";
import type { EventObject } from "../src/index.ts";
import { nodeTestConformance, vitestConformance } from "./emitters.ts";
import type { Fixture } from "./fixture.ts";

const createFixture = (): Fixture => {
  const handle = memoryCheckpointer<EventObject>();
  return { name: "memory", open: () => handle, dispose: () => handle.close() };
};

test("vitest and node:test fit", () => {
  void (() => vitestConformance(createFixture, { describe, test }));
  void (() => nodeTestConformance(createFixture, { describe: nodeDescribe, test: nodeTest }));
});
