import { expect, test } from "vitest";
import { memoryStore } from "../adapters/memory/index.ts";
import { withoutClose } from "../test/six-methods.ts";
import { xorCodec } from "../test/xor-codec.ts";
import { createCheckpointer } from "./create-checkpointer.ts";
import type { EventObject } from "./session-event.ts";

test.each([undefined, xorCodec()])(
  "close() lets an append complete that has to read the log first",
  async (codec) => {
    const store = withoutClose(memoryStore());
    const open = () => createCheckpointer<EventObject>(store, { codec });
    await open().append("a", [{ n: 1 }], { idempotencyKey: "k" });
    for (const [options, head] of [
      [{ idempotencyKey: "k" }, 1],
      [undefined, 2],
    ] as const) {
      const handle = open();
      const appended = handle.append("a", [{ n: 1 }], options);
      await handle.close();
      expect(await appended).toBe(head);
    }
  },
);

test("an append looks at the last record once, and again only in another generation", async () => {
  const store = withoutClose(memoryStore());
  let reads = 0;
  const counted = {
    ...store,
    read: (...which: Parameters<typeof store.read>) => {
      reads += 1;
      return store.read(...which);
    },
  };
  const codec = xorCodec();
  const rival = createCheckpointer<EventObject>(store, { codec });
  const handle = createCheckpointer<EventObject>(counted, { codec });
  for (const n of [1, 2]) await handle.append("mine", [{ n }]);
  expect(reads).toBe(0);
  await rival.append("theirs", [{ n: 1 }]);
  for (const n of [2, 3]) await handle.append("theirs", [{ n }]);
  await rival.append("theirs", [{ n: 4 }]);
  await handle.append("theirs", [{ n: 5 }]);
  expect(reads).toBe(1);
  await rival.truncate("theirs", 4);
  for (const n of [5, 6]) await handle.append("theirs", [{ n }]);
  expect(reads).toBe(2);
});
