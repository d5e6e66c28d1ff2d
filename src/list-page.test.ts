import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fuzz } from "../test/contract/fuzz.ts";
import { comparePosition, pageSessions } from "./list-page.ts";

const session = (id: string, mtime: number) => ({ id, mtime, head: 1 });

test("comparePosition() puts the most recent first, then ids by code unit", () => {
  const ordered = [session("b", 2), session("A", 1), session("a", 1), session("\u{1f600}", 1)];
  // A code point order would put the emoji, whose first unit is U+D83D, behind U+FF5E.
  ordered.push(session("\uff5e", 1));
  expect(ordered.toReversed().toSorted(comparePosition)).toEqual(ordered);
  expect(comparePosition(session("a", 1), session("a", 1))).toBe(0);
});

test("pageSessions() walks the whole list whatever the ties", () => {
  const sessions = fc
    .uniqueArray(fc.string({ maxLength: 2 }), { maxLength: 20 })
    .chain((ids) => fc.tuple(...ids.map((id) => fc.nat(3).map((mtime) => session(id, mtime)))));
  const check = fc.property(sessions, fc.integer({ min: 1, max: 7 }), (all, limit) => {
    const whole = pageSessions(all, { limit: Infinity, prefix: "" });
    expect(whole).toEqual(all.toSorted(comparePosition));
    const walked = [];
    for (let page = pageSessions(all, { limit, prefix: "" }); page.length > 0;) {
      walked.push(...page);
      page = pageSessions(all, { limit, prefix: "", cursor: page.at(-1) });
    }
    expect(walked).toEqual(whole);
  });
  fc.assert(check, fuzz(300));
});

test("pageSessions() filters by prefix and cuts at the limit", () => {
  const all = [session("ab", 1), session("a", 3), session("b", 2), session("ac", 2)];
  const page = pageSessions(all, { limit: 2, prefix: "a" });
  expect(page.map(({ id }) => id)).toEqual(["a", "ac"]);
  expect(pageSessions(all, { limit: 0, prefix: "" })).toEqual([]);
});

test("pageSessions() takes a cursor that is no session any more as a place", () => {
  const all = [session("a", 3), session("c", 2), session("b", 1)];
  const after = (id: string, mtime: number) =>
    pageSessions(all, { limit: 9, prefix: "", cursor: { id, mtime } }).map((one) => one.id);
  expect(after("b", 2)).toEqual(["c", "b"]);
  expect(after("c", 2)).toEqual(["b"]);
  expect(after("x", 2)).toEqual(["b"]);
  expect(after("x", 2.5)).toEqual(["c", "b"]);
});
