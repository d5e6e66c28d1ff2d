import { beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { boundRun, sharedMemory, type BoundRun } from "../testing/captured-run.ts";

let store: Store;
let other: Store;
let ckpt: BoundRun;

beforeEach(async () => {
  const shared = sharedMemory();
  ({ store, other } = shared);
  ckpt = boundRun(shared.schemes);
  await store.append("a", [{ n: 1 }, { type: "imported_value", value: 2 }, { n: 3 }]);
  await store.append("b", [{ m: 1 }]);
});

async function events(from: Store, sessionId: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { event } of from.read(sessionId)) all.push(event);
  return all;
}

describe("ckpt copy", () => {
  it("copies every session exactly, and keeps their order in the list", async () => {
    const { code, out } = await ckpt(["copy", "memory:", "other:", "--batch", "2"]);
    expect(code).toBe(0);
    expect(out).toBe("a -> a: 3 events, 3 new\nb -> b: 1 event, 1 new\n");
    for (const id of ["a", "b"]) expect(await events(other, id)).toEqual(await events(store, id));
    expect((await other.list()).map(({ id }) => id)).toEqual(["b", "a"]);
  });

  it("copies the named ones", async () => {
    await ckpt(["copy", "memory:", "other:", "a"]);
    expect((await other.list()).map(({ id }) => id)).toEqual(["a"]);
  });

  it("copies one session to another name, in its store or into another one", async () => {
    const { code, out } = await ckpt(["copy", "a", "c"]);
    expect({ code, out }).toEqual({ code: 0, out: "a -> c: 3 events, 3 new\n" });
    expect(await events(store, "c")).toEqual(await events(store, "a"));
    await ckpt(["copy", "--store", "memory:", "b", "d", "--to-store", "other:"]);
    expect(await events(other, "d")).toEqual(await events(store, "b"));
  });

  it("takes what looks like stores as sessions when --store or --to-store says so", async () => {
    await store.append("memory:", [{ odd: true }]);
    await ckpt(["copy", "memory:", "other:", "--store", "memory:"]);
    expect(await events(store, "other:")).toEqual([{ odd: true }]);
    await ckpt(["copy", "memory:", "x", "--to-store", "other:"]);
    expect(await events(other, "x")).toEqual([{ odd: true }]);
  });

  it("appends only what is not there when run again", async () => {
    await ckpt(["copy", "memory:", "other:"]);
    await store.append("a", [{ n: 4 }]);
    const { out } = await ckpt(["copy", "memory:", "other:", "--json", "a"]);
    const expected = { session: "a", as: "a", events: 4, appended: 1, head: 4 };
    expect(JSON.parse(out)).toEqual(expected);
    expect(await events(other, "a")).toEqual(await events(store, "a"));
  });

  it("leaves a session with other events as it is, and copies the rest", async () => {
    await other.append("a", [{ n: 0 }]);
    const { code, out, errors } = await ckpt(["copy", "memory:", "other:"]);
    expect(code).toBe(exitCodes.conflict);
    expect(out).toBe("b -> b: 1 event, 1 new\n");
    expect(errors).toBe(
      "ckpt: Session a has other events: seq 1 differs from seq 1 of the source; " +
        "nothing was written\nckpt: 1 of 2 sessions failed\n",
    );
    expect(await events(other, "a")).toEqual([{ n: 0 }]);
  });

  it("starts nothing when a session is not there", async () => {
    const { code, errors } = await ckpt(["copy", "memory:", "other:", "a", "nope"]);
    expect({ code, errors }).toEqual({ code: exitCodes.failed, errors: "ckpt: No session nope\n" });
    expect(await other.list()).toEqual([]);
  });

  it.each([
    [["memory:", "a"], "Wanted two stores or two sessions; met a store and something else"],
    [["a", "other:"], "Wanted two stores or two sessions; met a store and something else"],
    [["a", "c", "b"], "More sessions go with two stores, not two sessions"],
    [["a", ""], "Invalid session id"],
  ])("refuses %j", async (words, message) => {
    const { code, errors } = await ckpt(["copy", ...words]);
    expect(code).toBe(exitCodes.usage);
    expect(errors).toContain(`ckpt: ${message}`);
  });
});
