// Any checkpointer with the five methods can be sealed from outside. What then needs more than
// those methods, such as tokens and keys, is not promised; what is promised has to hold.

import { describe, expect, test } from "vitest";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { vitestConformance } from "../../conformance/emitters.ts";
import { properties } from "../../conformance/properties/index.ts";
import { sealedCheckpointer, type Checkpointer, type EventObject } from "../../src/index.ts";
import { xorCodec } from "../xor-codec.ts";

function open(): Checkpointer<EventObject> {
  return sealedCheckpointer<EventObject>(memoryCheckpointer(), xorCodec());
}

const groups = ["append", "expected head", "read", "read range", "session ids"];
const only = properties.filter(({ group }) => groups.includes(group)).map(({ id }) => id);

describe("a foreign checkpointer, sealed", () => {
  const createFixture = () => {
    const handle = open();
    return { name: "sealed foreign", open: () => handle, dispose: () => handle.close() };
  };
  vitestConformance(createFixture, { describe, test }, { only });
});

test("a sealed foreign checkpointer claims no tokens and no keys, which it does not have", () => {
  expect(open().capabilities).toMatchObject({ headToken: false, idempotency: false });
});
