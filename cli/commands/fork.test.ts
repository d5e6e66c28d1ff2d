import { describe, expect, it } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import { boundRun, sharedMemory } from "../testing/captured-run.ts";

const { store, schemes } = sharedMemory();
const ckpt = boundRun(schemes);
await store.append("s", [{ n: 1 }, { n: 2 }, { n: 3 }]);

describe("ckpt fork", () => {
  it("makes a new session of the first events", async () => {
    const { code, out } = await ckpt(["fork", "s", "2", "t"]);
    expect({ code, out }).toEqual({ code: 0, out: "s -> t: 2 events\n" });
    expect(await store.head("t")).toBe(2);
  });

  it("says so as JSON", async () => {
    const { out } = await ckpt(["fork", "s", "1", "u", "--json"]);
    expect(JSON.parse(out)).toEqual({ source: "s", target: "u", head: 1 });
  });

  it("exits with 3 when the target is there", async () => {
    await store.append("taken", [{ n: 0 }]);
    const { code, errors } = await ckpt(["fork", "s", "2", "taken"]);
    expect(code).toBe(exitCodes.conflict);
    expect(errors).toMatch(/^ckpt: .*\(CONFLICT\)\n$/);
    expect(await store.head("taken")).toBe(1);
  });

  it("exits with 1 when the source or the seq is not there", async () => {
    const missing = await ckpt(["fork", "nope", "1", "v"]);
    expect(missing).toEqual({ code: exitCodes.failed, out: "", errors: "ckpt: No session nope\n" });
    const beyond = await ckpt(["fork", "s", "4", "v"]);
    expect(beyond.code).toBe(exitCodes.failed);
    expect(beyond.errors).toMatch(/^ckpt: .*which is 3, met 4\n$/);
  });
});
