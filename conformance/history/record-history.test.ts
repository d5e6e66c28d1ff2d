// Goal: what clients do to a real store is recorded as it was, a correct store passes with it, and a
// broken one is caught and explained in a few lines.

import { describe, expect, test } from "vitest";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { CheckpointConflictError, CheckpointError, isCheckpointError } from "../../src/index.ts";
import { checkHistory } from "./check-history.ts";
import { explainViolation } from "./explain-violation.ts";
import type { History } from "./history.ts";
import { parseHistory } from "./parse-history.ts";
import {
  idField,
  outcomeOfError,
  recordHistory,
  type RecordableCheckpointer,
  type RecordedCheckpointer,
} from "./record-history.ts";
import { cachedHead, checkThenWrite, lateTruncate } from "./testing/broken-stores.ts";
import { createRandom, type Random } from "./testing/random.ts";

interface Note {
  readonly type: "note";
  readonly text: string;
}
type Handle = RecordableCheckpointer<Note>;

const note: Note = { type: "note", text: "n" };
const clients = Array.from({ length: 8 }, (_, index) => `c${index}`);

/** What one client does: calls on two sessions, some of them at once. */
async function work(handle: RecordedCheckpointer<Note>, random: Random, shortens: boolean) {
  for (let round = 0; round < 40; round += 1) {
    const first = oneCall(handle, random, shortens);
    if (random.chance(0.8)) await first;
    await Promise.all([first, oneCall(handle, random, shortens)]);
  }
}

async function oneCall(handle: RecordedCheckpointer<Note>, random: Random, shortens: boolean) {
  const session = `s${random.below(2)}`;
  const chosen = random.below(shortens ? 12 : 10);
  try {
    if (chosen < 4) {
      const expected = random.chance(0.7) ? await handle.head(session) : undefined;
      await handle.append(session, Array(1 + random.below(3)).fill(note), expected);
    } else if (chosen < 5) {
      const key = `k${random.below(20)}`;
      await handle.append(session, [note], { idempotencyKey: key });
    } else if (chosen < 8) await drain(handle.read(session, { sinceSeq: random.below(20) }));
    else if (chosen < 10) await handle.head(session);
    else if (chosen < 11) await handle.truncate(session, random.below(10));
    else await handle.delete(session);
  } catch (error) {
    if (!isCheckpointError(error, "CONFLICT") && !isCheckpointError(error, "LOG_CHANGED"))
      throw error;
  }
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) continue;
}

/** Lets 8 clients work at once. */
async function record(
  open: () => Handle,
  store: Handle,
  shortens: boolean,
  seed: number,
): Promise<History> {
  const recorder = recordHistory();
  const handles = clients.map((client) => recorder.wrap(client, open()));
  await Promise.all(
    handles.map((handle, index) => work(handle, createRandom(seed + index), shortens)),
  );
  return parseHistory(JSON.stringify(await recorder.finish(store)));
}

describe.each([
  ["only grow", false],
  ["are truncated and deleted", true],
])("8 clients of a memory store whose logs %s", (_, shortens) => {
  test("leave a valid history", async () => {
    const store = memoryCheckpointer<Note>();
    const history = await record(() => store, store, shortens, 1);
    const conflicts = history.operations.filter(({ outcome }) => outcome.status === "conflict");
    console.log(`${history.operations.length} operations, ${conflicts.length} conflicts`);
    expect(conflicts.length).toBeGreaterThan(10);
    expect(checkHistory(history)).toEqual({ status: "valid", violations: [], undecided: [] });
  });
});

describe("a broken store is caught and explained", () => {
  test.each([
    ["that checks and then writes", checkThenWrite, "H4"],
    ["that caches the head of each handle", cachedHead, /H[468]/],
  ])("%s", async (_, breakIt, rule) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const store = memoryCheckpointer<Note>();
      const history = await record(() => breakIt<Note>(store), store, false, seed);
      const { status, violations } = checkHistory(history);
      expect(status).toBe("invalid");
      const { operations, lines, violation } = explainViolation(history, violations[0]!);
      if (seed === 1) console.log(lines.join("\n"));
      expect(violation.rule).toMatch(rule);
      expect(operations.length).toBeLessThanOrEqual(3);
      expect(lines.length).toBeLessThanOrEqual(5);
    }
  });

  test("that truncates after saying so", async () => {
    const store = memoryCheckpointer<Note>();
    const waiting: Array<() => Promise<void>> = [];
    const recorder = recordHistory();
    const handle = recorder.wrap(
      "c0",
      lateTruncate<Note>(store, (late) => void waiting.push(late)),
    );
    const other = recorder.wrap("c1", store);
    for (let index = 0; index < 20; index += 1) await other.append("s", [note, note]);
    await handle.truncate("s", 3);
    await other.append("s", [note]);
    await Promise.all(waiting.map((late) => late()));
    const history = await recorder.finish(store);
    const [violation] = checkHistory(history).violations;
    const { operations, lines } = explainViolation(history, violation!);
    console.log(lines.join("\n"));
    expect(violation?.rule).toBe("linearizability");
    expect(operations.length).toBeLessThanOrEqual(4);
  });
});

describe("a recorder", () => {
  test("gives every event an id of its own and keeps what else is in it", async () => {
    const store = memoryCheckpointer<Note>();
    const recorder = recordHistory();
    const [one, two] = [recorder.wrap("a", store), recorder.wrap("b", store)];
    await Promise.all([one.append("s", [note, note]), two.append("s", [note])]);
    const events: object[] = [];
    for await (const { event } of store.read("s")) events.push(event);
    expect(events).toEqual([
      { ...note, [idField]: "e1" },
      { ...note, [idField]: "e2" },
      { ...note, [idField]: "e3" },
    ]);
  });

  test("uses the ids of the first attempt for a retry under its key", async () => {
    const store = memoryCheckpointer<Note>();
    const recorder = recordHistory();
    const handle = recorder.wrap("a", store);
    const options = { idempotencyKey: "k", expectedHead: 0 };
    expect(await handle.append("s", [note], options)).toBe(1);
    await handle.append("s", [note]);
    expect(await handle.append("s", [note], options)).toBe(1);
    const history = await recorder.finish(store);
    expect(history.operations.length).toBe(4);
    expect(checkHistory(history).status).toBe("valid");
  });

  test("records what was told: heads, events, conflicts and refusals", async () => {
    const store = memoryCheckpointer<Note>();
    const recorder = recordHistory();
    const handle = recorder.wrap("a", store);
    await handle.append("s", [note]);
    await expect(handle.append("s", [note], 5)).rejects.toThrow(CheckpointConflictError);
    await expect(handle.append("s", [note], -1)).rejects.toThrow(RangeError);
    await drain(handle.read("s"));
    await handle.truncate("s", 0);
    expect(recorder.history().operations.map(({ outcome }) => outcome)).toEqual([
      { status: "ok", head: 1 },
      { status: "conflict", expected: 5, actual: 1 },
      { status: "refused", code: "RangeError" },
      { status: "ok", events: [{ seq: 1, id: "e1" }] },
      { status: "ok" },
    ]);
  });

  test("calls overlap when they did, and a call without an answer has no end", async () => {
    const store = memoryCheckpointer<Note>();
    const recorder = recordHistory();
    const handle = recorder.wrap("a", store);
    const running = [handle.append("s", [note]), handle.head("s")];
    recorder.begin("dead", "s", { method: "delete" });
    await Promise.all(running);
    const moments = recorder.history().operations.map(({ start, end }) => ({ start, end }));
    expect(moments.map(({ start }) => start)).toEqual([1, 2, 3]);
    expect(moments.map(({ end }) => end === null || end > 3)).toEqual([true, true, true]);
    expect(moments[2]?.end).toBeNull();
  });

  test("says nothing about a read that was left early", async () => {
    const store = memoryCheckpointer<Note>();
    const recorder = recordHistory();
    const handle = recorder.wrap("a", store);
    await handle.append("s", [note, note]);
    for await (const _ of handle.read("s")) break;
    expect(recorder.history().operations[1]?.outcome).toEqual({ status: "unknown" });
    expect(checkHistory(await recorder.finish(store)).status).toBe("valid");
  });

  test("shows events that were appended behind its back", async () => {
    const store = memoryCheckpointer<Note>();
    const recorder = recordHistory();
    await recorder.wrap("a", store).append("s", [note]);
    await store.append("s", [note]);
    const { violations } = checkHistory(await recorder.finish(store));
    expect(violations.map(({ rule }) => rule)).toEqual(["H5"]);
  });

  test("takes an error for a refusal only when nothing can have been applied", () => {
    expect(outcomeOfError(new CheckpointError("BUSY", "x"))).toEqual({
      status: "refused",
      code: "BUSY",
    });
    expect(outcomeOfError(new CheckpointConflictError("s", 1, 2))).toEqual({
      status: "conflict",
      expected: 1,
      actual: 2,
    });
    expect(outcomeOfError(new CheckpointError("OUTCOME_UNKNOWN", "x")).status).toBe("unknown");
    expect(outcomeOfError(new Error("connection lost")).status).toBe("unknown");
  });
});
