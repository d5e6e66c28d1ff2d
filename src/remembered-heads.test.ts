import { expect, test } from "vitest";
import { limits } from "./limits.ts";
import { createRememberedHeads } from "./remembered-heads.ts";

const head = (seq: number) => ({ seq, generation: "g", tail: null });

test("get() tells unknown from absent", () => {
  const heads = createRememberedHeads();
  expect(heads.get("a")).toBeUndefined();
  heads.set("a", null);
  expect(heads.get("a")).toBeNull();
  heads.forget("a");
  expect(heads.get("a")).toBeUndefined();
});

test("set() forgets the session that was set longest ago", () => {
  const heads = createRememberedHeads();
  for (let n = 0; n < limits.rememberedHeads; n += 1) heads.set(`${n}`, head(n));
  heads.set("0", head(100));
  heads.set("new", head(1));
  expect(heads.get("0")).toEqual(head(100));
  expect(heads.get("1")).toBeUndefined();
  expect(heads.get("2")).toEqual(head(2));
});
