// Any checkpointer with the five methods can be sealed from outside. What then needs more than
// those methods, such as tokens and keys, is not promised; what is promised has to hold.

import { expect, test } from "vitest";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { sealedCheckpointer } from "../../src/index.ts";
import type { Handle, StoreKind } from "../stores.ts";
import { xorCodec } from "../xor-codec.ts";
import { appendOrderRules } from "./append-order.ts";
import { appendRules } from "./append.ts";
import { testRules } from "./contract.ts";
import { expectedHeadRules } from "./expected-head.ts";
import { fidelityRules } from "./fidelity.ts";
import { readLoopRules } from "./read-loop.ts";
import { readRangeRules } from "./read-range.ts";
import { sessionIdRules } from "./session-ids.ts";

function open(): Handle {
  return sealedCheckpointer<object>(memoryCheckpointer(), xorCodec());
}

const kind: StoreKind = {
  name: "a foreign checkpointer, sealed",
  create() {
    const handle = open();
    return {
      directory: null,
      open: () => handle,
      openWith: () => handle,
      dispose: () => handle.close(),
    };
  },
};

testRules(kind, [
  appendRules,
  appendOrderRules,
  expectedHeadRules,
  fidelityRules,
  readRangeRules,
  readLoopRules,
  sessionIdRules,
]);

test("a sealed foreign checkpointer claims no tokens and no keys, which it does not have", () => {
  expect(open().capabilities).toMatchObject({ headToken: false, idempotency: false });
});
