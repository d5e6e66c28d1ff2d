import { describe, expect, it } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import { boundRun, sharedMemory } from "../testing/captured-run.ts";

const { store, schemes } = sharedMemory();
const ckpt = boundRun(schemes);
await store.append("s", [
  { n: 1 },
  { type: "imported_value", value: [2] },
  { text: "\u202e\u0000" },
]);

describe("ckpt export", () => {
  it("writes a record a line, unwrapped and safe to print", async () => {
    const { code, out } = await ckpt(["export", "s"]);
    expect(code).toBe(0);
    expect(out).toBe('{"n":1}\n[2]\n{"text":"\\u202e\\u0000"}\n');
  });

  it("says when there is no such session", async () => {
    const { code, errors } = await ckpt(["export", "nope"]);
    expect({ code, errors }).toEqual({ code: exitCodes.failed, errors: "ckpt: No session nope\n" });
  });

  it("ends quietly, and early, when nobody reads on", async () => {
    const big = { text: "x".repeat(100_000) };
    await store.append(
      "big",
      Array.from({ length: 50 }, () => big),
    );
    let read = 0;
    const counting = {
      ...store,
      close: async () => undefined,
      async *read(...words: Parameters<typeof store.read>) {
        for await (const stored of store.read(...words)) {
          read += 1;
          yield stored;
        }
      },
    };
    const memory = { ...schemes["memory"]!, open: async () => counting };
    const run = boundRun({ ...schemes, memory });
    const { code, errors } = await run(["export", "big"], { closeAfter: 1 });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(read).toBeLessThan(5);
  });
});
