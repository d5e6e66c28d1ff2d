// Goal: what comes from outside is either a history or named with the first place that is not.

import { describe, expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import { parseHistory } from "./parse-history.ts";
import { createRandom } from "./testing/random.ts";
import { simulateHistory } from "./testing/simulate-history.ts";

const valid = {
  client: "a",
  sessionId: "s",
  call: { method: "append", ids: ["x"] },
  start: 1,
  end: 2,
  outcome: { status: "ok", head: 1 },
};

describe("parseHistory()", () => {
  test("takes what a recorder writes, as text or parsed", () => {
    const simulation = { clients: 4, calls: 200, sessions: 2, losses: 0.05, longReads: true };
    const history = simulateHistory(createRandom(1), { ...simulation, shortens: true });
    const text = JSON.stringify(history);
    expect(parseHistory(text)).toEqual(JSON.parse(text));
    expect(parseHistory(JSON.parse(text))).toEqual(JSON.parse(text));
    expect(checkHistory(parseHistory(text)).status).toBe("valid");
  });

  test.each<readonly [string, unknown, string]>([
    ["text that is not JSON", "{", "history: expected JSON"],
    ["no object", null, "history: expected an object"],
    ["no operations", {}, "history.operations: expected an array"],
    ["a missing client", changed({ client: 1 }), "operations[1].client: expected a string"],
    ["a missing end", changed({ end: undefined }), "operations[1].end: expected a finite number"],
    ["an end before the start", changed({ end: 0 }), "operations[1].end: expected a moment"],
    [
      "an unknown method",
      changed({ call: { method: "fork" } }),
      'operations[1].call.method: expected "append"',
    ],
    [
      "a negative expected head",
      changed({ call: { method: "append", ids: ["y"], expectedHead: -1 } }),
      "operations[1].call.expectedHead: expected a whole number of at least 0",
    ],
    [
      "an append that was told no head",
      changed({ outcome: { status: "ok" } }),
      "operations[1].outcome.head: expected a whole number of at least 0",
    ],
    [
      "a read with an event that has no id",
      changed({
        call: { method: "read", sinceSeq: 0 },
        outcome: { status: "ok", events: [{ seq: 1 }] },
      }),
      "operations[1].outcome.events[0].id: expected a string",
    ],
    [
      "an answer without an end",
      changed({ end: null }),
      'operations[1].outcome.status: expected "unknown"',
    ],
    [
      "a conflict of a head",
      changed({
        call: { method: "head" },
        outcome: { status: "conflict", expected: 1, actual: 2 },
      }),
      "operations[1].outcome.status: expected no conflict",
    ],
    ["an unknown status", changed({ outcome: { status: "fine" } }), 'expected "ok", "conflict"'],
    [
      "an id that two appends share",
      { operations: [valid, valid] },
      "operations[1].call.ids: expected ids that no other append uses",
    ],
    [
      "an id twice in an append",
      changed({ call: { method: "append", ids: ["y", "y"] } }),
      "operations[1].call.ids: expected ids that differ",
    ],
  ])("refuses %s", (_, json, message) => {
    expect(() => parseHistory(json)).toThrow(TypeError);
    expect(() => parseHistory(json)).toThrow(message);
  });

  test("lets a retry use its ids again", () => {
    const call = { ...valid.call, idempotencyKey: "k" };
    const operations = [
      { ...valid, call },
      { ...valid, call },
    ];
    expect(parseHistory({ operations }).operations.length).toBe(2);
  });
});

/** A history whose second operation is changed. */
function changed(change: object): unknown {
  const second = { ...valid, call: { method: "append", ids: ["y"] }, ...change };
  return { operations: [valid, second] };
}
