import { expect, test } from "vitest";
import { xorCodec } from "../../test/xor-codec.ts";
import { memoryCheckpointer } from "./memory-checkpointer.ts";

const hello = { type: "user", content: "hello" } as const;

test("memoryCheckpointer() makes a new, empty checkpointer each time", async () => {
  const [first, second] = [memoryCheckpointer(), memoryCheckpointer()];
  await first.append("a", [hello]);
  expect(await second.list()).toEqual([]);
  expect(await second.append("a", [hello], 0)).toBe(1);
});

test("memoryCheckpointer() declares what it is", () => {
  expect(memoryCheckpointer().capabilities).toMatchObject({
    concurrency: "instance",
    durability: "none",
    readIsolation: "snapshot",
    clock: "local",
    truncate: true,
    idempotency: true,
    tail: "poll",
    repair: false,
  });
});

test("memoryCheckpointer() takes a codec", async () => {
  const checkpointer = memoryCheckpointer({ codec: xorCodec() });
  await checkpointer.append("a", [hello]);
  for await (const { event } of checkpointer.read("a")) expect(event).toEqual(hello);
  expect.assertions(1);
});
