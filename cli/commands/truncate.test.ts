import { beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { boundRun, sharedMemory, type BoundRun } from "../testing/captured-run.ts";

let store: Store;
let ckpt: BoundRun;

beforeEach(async () => {
  const shared = sharedMemory();
  store = shared.store;
  ckpt = boundRun(shared.schemes);
  await store.append("s", [{ n: 1 }, { n: 2 }, { n: 3 }]);
});

describe("ckpt truncate", () => {
  it("drops the events after a seq and says how many", async () => {
    const { code, out } = await ckpt(["truncate", "s", "1"]);
    expect({ code, out }).toEqual({ code: 0, out: "s: 2 events dropped, head 1\n" });
    expect(await store.head("s")).toBe(1);
  });

  it("says so as JSON", async () => {
    const { out } = await ckpt(["truncate", "s", "0", "--json"]);
    expect(JSON.parse(out)).toEqual({ session: "s", head: 0, dropped: 3 });
  });

  it("does nothing beyond the head", async () => {
    const { code, out } = await ckpt(["truncate", "s", "9"]);
    expect({ code, out }).toEqual({ code: 0, out: "s: 0 events dropped, head 3\n" });
  });

  it("says when there is no such session", async () => {
    expect(await ckpt(["truncate", "nope", "1"])).toMatchObject({ code: exitCodes.failed });
  });
});
