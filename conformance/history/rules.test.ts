// Goal: each rule is named when it is the one that is broken, and its nearest legal neighbour passes.

import { describe, expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import type { Operation } from "./history.ts";
import { append, at, head, operation, read, shows } from "./testing/operations.ts";

/** A title, operations, and the rules that they break. */
type Case = readonly [title: string, operations: readonly Operation[], rules: readonly string[]];

const refused = { status: "refused", code: "BUSY" } as const;
const conflict = (expected: number, actual: number) =>
  ({ status: "conflict", expected, actual }) as const;
const done = { status: "ok" } as const;

const cases: readonly Case[] = [
  ["nothing at all", [], []],
  [
    "an acknowledged append that is there",
    [operation("a", [1, 2], append("x y"), at(2)), operation("z", [8, 9], read, shows("x y"))],
    [],
  ],
  [
    "an acknowledged append that is not there",
    [operation("a", [1, 2], append("x"), at(1)), operation("z", [8, 9], read, shows(""))],
    ["H1"],
  ],
  [
    "an acknowledged append that is not where it was said to be",
    [
      operation("a", [1, 2], append("x"), at(2)),
      operation("b", [1, 2], append("y"), at(2)),
      operation("z", [8, 9], read, shows("x y")),
    ],
    ["H1"],
  ],
  [
    "an acknowledged append of which a part is there",
    [operation("a", [1, 2], append("x y"), at(2)), operation("z", [8, 9], read, shows("x"))],
    ["H1"],
  ],
  [
    "a refused append that is there",
    [operation("a", [1, 2], append("x"), refused), operation("z", [8, 9], read, shows("x"))],
    ["H2"],
  ],
  [
    "a conflict that is there",
    [
      operation("a", [1, 2], append("x", 1), conflict(1, 0)),
      operation("z", [8, 9], read, shows("x")),
    ],
    ["H2"],
  ],
  [
    "an append without an answer that is there",
    [operation("a", [1, 2], append("x y")), operation("z", [8, 9], read, shows("x y"))],
    [],
  ],
  [
    "an append without an answer of which a part is there",
    [operation("a", [1, 2], append("x y")), operation("z", [8, 9], read, shows("x"))],
    ["H3"],
  ],
  [
    "an append without an answer that is there twice",
    [operation("a", [1, 2], append("x")), operation("z", [8, 9], read, shows("x x"))],
    ["H3"],
  ],
  [
    "an append without an answer that lands between two reads",
    [
      operation("a", [1, 2], append("x")),
      operation("b", [3, 4], read, shows("")),
      operation("z", [8, 9], read, shows("x")),
    ],
    [],
  ],
  [
    "a conditional append that is told another place than it insisted on",
    [operation("a", [1, 2], append("x", 1), at(1)), operation("z", [8, 9], read, shows("x"))],
    ["H4"],
  ],
  [
    "a conditional append without an answer that stands elsewhere",
    [operation("a", [1, 2], append("x", 1)), operation("z", [8, 9], read, shows("x"))],
    ["H4"],
  ],
  [
    "a retry under a key that finds the first attempt",
    [
      operation("a", [1, 2], append("x", 0, "k")),
      operation("b", [3, 4], append("y"), at(2)),
      operation("a", [5, 6], append("x", 0, "k"), at(1)),
      operation("z", [8, 9], read, shows("x y")),
    ],
    [],
  ],
  [
    "a retry under a key that has a conflict with its first attempt",
    [
      operation("a", [1, 2], append("x", 0, "k"), at(1)),
      operation("a", [5, 6], append("x", 0, "k"), conflict(0, 1)),
      operation("z", [8, 9], read, shows("x")),
    ],
    ["H7"],
  ],
  [
    "a read in another order",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("b", [1, 2], append("y"), at(2)),
      operation("c", [3, 4], read, shows("y x")),
      operation("z", [8, 9], read, shows("x y")),
    ],
    ["H5"],
  ],
  [
    "a read with a hole",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("c", [3, 4], read, { status: "ok", events: [{ seq: 2, id: "x" }] }),
      operation("z", [8, 9], read, shows("x")),
    ],
    ["H5"],
  ],
  [
    "a read that misses what was settled before",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("b", [3, 4], read, shows("")),
      operation("z", [8, 9], read, shows("x")),
    ],
    ["H6"],
  ],
  [
    "a read that misses what lands meanwhile",
    [
      operation("a", [1, 4], append("x"), at(1)),
      operation("b", [3, 5], read, shows("")),
      operation("z", [8, 9], read, shows("x")),
    ],
    [],
  ],
  [
    "a head of the future",
    [
      operation("b", [1, 2], head, at(1)),
      operation("a", [3, 4], append("x"), at(1)),
      operation("z", [8, 9], read, shows("x")),
    ],
    ["H6"],
  ],
  [
    "two reads that take back what nobody has acknowledged yet",
    [
      operation("a", [1, 7], append("x"), at(1)),
      operation("b", [2, 3], read, shows("x")),
      operation("c", [4, 5], read, shows("")),
      operation("z", [8, 9], read, shows("x")),
    ],
    ["H6"],
  ],
  [
    "a conflict with the expected head",
    [
      operation("a", [1, 2], append("x", 0), conflict(0, 0)),
      operation("z", [8, 9], read, shows("")),
    ],
    ["H7"],
  ],
  [
    "a conflict with a head that was gone before",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("a", [3, 4], append("y"), at(2)),
      operation("b", [5, 6], append("v", 0), conflict(0, 1)),
      operation("z", [8, 9], read, shows("x y")),
    ],
    ["H7"],
  ],
  [
    "a conflict with a head that was there for a moment of the call",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("a", [3, 4], append("y"), at(2)),
      operation("b", [2, 6], append("v", 0), conflict(0, 1)),
      operation("z", [8, 9], read, shows("x y")),
    ],
    [],
  ],
  [
    "a client for whom the head goes back",
    [
      operation("a", [1, 7], append("x"), at(1)),
      operation("b", [2, 3], head, at(1)),
      operation("b", [4, 5], head, at(0)),
      operation("z", [8, 9], read, shows("x")),
    ],
    ["H8"],
  ],
  [
    "a head that goes back over a truncate",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("b", [3, 7], { method: "truncate", toSeq: 0 }, done),
      operation("a", [4, 5], head, at(0)),
    ],
    [],
  ],
  [
    "a head that goes back before the truncate",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("a", [3, 4], head, at(0)),
      operation("b", [5, 7], { method: "truncate", toSeq: 0 }, done),
    ],
    ["linearizability"],
  ],
  [
    "a delete that a read survives",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("b", [3, 4], { method: "delete" }, done),
      operation("z", [8, 9], read, shows("x")),
    ],
    ["linearizability"],
  ],
  [
    "a head behind the final read, after an append without an answer",
    [
      operation("a", [1, 2], append("x y")),
      operation("b", [3, 4], read, shows("")),
      operation("c", [5, 6], head, at(2)),
    ],
    [],
  ],
  [
    "a part of an append, behind the final read",
    [
      operation("a", [1, 2], append("x y")),
      operation("b", [3, 4], read, shows("")),
      operation("c", [5, 6], head, at(1)),
    ],
    ["linearizability"],
  ],
  [
    "appends behind the last read",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("b", [3, 4], read, shows("x")),
      operation("a", [5, 6], append("y"), at(2)),
    ],
    [],
  ],
  [
    "an event that is there twice although the log was cut",
    [
      operation("a", [1, 2], append("x"), at(1)),
      operation("b", [3, 4], { method: "truncate", toSeq: 1 }, done),
      operation("z", [8, 9], read, shows("x x")),
    ],
    ["H1"],
  ],
  [
    "no read at all, and two appends that were told the same head",
    [operation("a", [1, 2], append("x"), at(1)), operation("b", [1, 2], append("y"), at(1))],
    ["linearizability"],
  ],
];

describe("checkHistory()", () => {
  test.each(cases)("judges %s", (_, operations, rules) => {
    const { violations, undecided } = checkHistory({ operations });
    expect(violations.map(({ rule }) => rule)).toEqual(rules);
    expect(undecided).toEqual([]);
  });

  test("judges sessions apart from each other", () => {
    const one = operation("a", [1, 2], append("x"), at(1));
    const other = { ...operation("a", [3, 4], append("y"), at(1)), sessionId: "t" };
    const final = operation("z", [8, 9], read, shows("x"));
    expect(checkHistory({ operations: [one, other, final] }).status).toBe("valid");
  });

  test("tries only one order of appends that died and that nobody can tell apart", () => {
    const dead = Array.from({ length: 20 }, (_, index) =>
      operation(`a${index}`, [index, index], append(`x${index}`)),
    );
    const heads = [operation("b", [30, 31], head, at(9)), operation("b", [32, 33], head, at(8))];
    const verdict = checkHistory({ operations: [...dead, ...heads] }, { visits: 100 });
    expect(verdict.status).toBe("invalid");
  });

  test("says that it cannot decide, and how many operations overlap, when there are too many orders", () => {
    const deletes = Array.from({ length: 12 }, (_, index) => [
      operation(`a${index}`, [1, 90], append(`x${index}`)),
      operation(`d${index}`, [1, 90], { method: "truncate", toSeq: index }, done),
    ]);
    const impossible = operation("z", [91, 92], head, at(99));
    const operations = [...deletes.flat(), impossible];
    const { status, undecided, violations } = checkHistory({ operations }, { visits: 500 });
    expect(status).toBe("undecided");
    expect(violations).toEqual([]);
    expect(undecided[0]?.sessionId).toBe("s");
    expect(undecided[0]?.size).toBeGreaterThan(10);
  });
});
