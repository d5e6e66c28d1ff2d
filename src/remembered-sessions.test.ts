import { expect, test } from "vitest";
import { limits } from "./limits.ts";
import type { LogHead } from "./record-store.ts";
import { createRememberedSessions } from "./remembered-sessions.ts";

const head = (seq: number) => ({ seq, generation: "g", tail: null });

test("get() tells unknown from absent", () => {
  const heads = createRememberedSessions<LogHead | null>();
  expect(heads.get("a")).toBeUndefined();
  heads.set("a", null);
  expect(heads.get("a")).toBeNull();
  heads.forget("a");
  expect(heads.get("a")).toBeUndefined();
});

test("set() forgets the session that was set longest ago", () => {
  const heads = createRememberedSessions<LogHead | null>();
  for (let n = 0; n < limits.rememberedSessions; n += 1) heads.set(`${n}`, head(n));
  heads.set("0", head(100));
  heads.set("new", head(1));
  expect(heads.get("0")).toEqual(head(100));
  expect(heads.get("1")).toBeUndefined();
  expect(heads.get("2")).toEqual(head(2));
});
