import { describe, expect, it } from "vitest";
import type { Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { boundRun, sharedMemory, type BoundRun } from "../testing/captured-run.ts";

const { store, schemes } = sharedMemory();
await store.append("s", [{ n: 1 }]);

function withRepair(repair: Store["repair"]): BoundRun {
  const open = async (): Promise<Store> => ({ ...store, close: async () => undefined, repair });
  return boundRun({ ...schemes, memory: { ...schemes["memory"]!, open } });
}

describe("ckpt repair", () => {
  it("says what was cut off", async () => {
    const ckpt = withRepair(async () => ({ bytes: 12, offset: 345 }));
    const { code, out } = await ckpt(["repair", "s"]);
    expect({ code, out }).toEqual({ code: 0, out: "s: 12 bytes cut off at byte 345\n" });
    expect(JSON.parse((await ckpt(["repair", "s", "--json"])).out)).toEqual({
      session: "s",
      repair: { bytes: 12, offset: 345 },
    });
  });

  it("says when there is nothing to do", async () => {
    const { code, out } = await withRepair(async () => null)(["repair", "s"]);
    expect({ code, out }).toEqual({ code: 0, out: "s: nothing to do\n" });
  });

  it("exits with 1 for a store that cannot, and for a session that is not there", async () => {
    const unable = await boundRun(schemes)(["repair", "s"]);
    expect(unable.code).toBe(exitCodes.failed);
    expect(unable.errors).toMatch(/\(NOT_SUPPORTED\)\n$/);
    expect(await boundRun(schemes)(["repair", "nope"])).toMatchObject({ code: exitCodes.failed });
  });
});
