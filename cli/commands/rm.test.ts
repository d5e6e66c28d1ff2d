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
  for (const id of ["a", "b", "c"]) await store.append(id, [{ id }]);
});

describe("ckpt rm", () => {
  it("removes the named sessions and no others", async () => {
    const { code, out } = await ckpt(["rm", "a", "b"]);
    expect({ code, out }).toEqual({ code: 0, out: "a: removed\nb: removed\n" });
    expect((await store.list()).map(({ id }) => id)).toEqual(["c"]);
  });

  it("says so as JSON, a line each", async () => {
    expect((await ckpt(["rm", "a", "--json"])).out).toBe('{"session":"a","removed":true}\n');
  });

  it("removes none when one of them is not there", async () => {
    const { code, errors } = await ckpt(["rm", "a", "nope", "b"]);
    expect({ code, errors }).toEqual({ code: exitCodes.failed, errors: "ckpt: No session nope\n" });
    expect(await store.list()).toHaveLength(3);
  });

  it("removes all of them even when nobody reads what it prints", async () => {
    const { code } = await ckpt(["rm", "a", "b", "c"], { closeAfter: 0 });
    expect(code).toBe(0);
    expect(await store.list()).toEqual([]);
  });
});
