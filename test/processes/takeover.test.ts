// Takeovers that need more than a stopped owner: they fail, they meet a half-written merged append, or
// somebody removes the lock by hand. The rival is another process that runs while a call of the owner's
// port waits for it, so that every run is the same.

import { mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileCheckpointer, type FilePort } from "../../adapters/file/index.ts";
import type { Checkpointer, Codec } from "../../src/index.ts";
import { runChildNow } from "./children.ts";
import { hookPort, type PortCall } from "./faulty-port.ts";
import { readLedger } from "./ledger.ts";
import { answerOf } from "./model.ts";
import type { Script, ScriptNote } from "./run-script.ts";
import { eventOf, staleMs, type Step, type TestEvent } from "./script.ts";
import { ageLocks, idsOf, leftovers, makeTempDir, removeTempDir, stateOf } from "./store-state.ts";

let dir: string;
let opened: Array<Checkpointer<TestEvent>>;

beforeEach(() => {
  dir = makeTempDir();
  opened = [];
});

afterEach(async () => {
  for (const checkpointer of opened) await checkpointer.close();
  removeTempDir(dir);
});

function open(port?: FilePort, codec?: Codec, busyTimeoutMs?: number): Checkpointer<TestEvent> {
  const common = { dir, lockStaleMs: staleMs, busyTimeoutMs, onTornTail: () => undefined };
  const checkpointer = fileCheckpointer<TestEvent>({ ...common, port, codec });
  opened.push(checkpointer);
  return checkpointer;
}

/** Lets another process do something while this one stands still; answers what its steps answered. */
function rival(...steps: Step[]): ScriptNote[] {
  ageLocks(dir);
  const ledger = join(dir, "..", `${dir.split("/").at(-1)}.ledger`);
  rmSync(ledger, { force: true });
  const script: Script = { place: { adapter: "file", at: dir }, ledger, steps, faults: [] };
  runChildNow("run-script", script);
  const notes = readLedger<ScriptNote>(ledger);
  rmSync(ledger);
  return notes;
}

/** A port that calls `work` before the first call for which `when` holds, once armed. */
function interrupted(
  when: (call: PortCall) => boolean,
  work: () => void,
): { port: FilePort; arm: () => void } {
  let armed = false;
  const port = hookPort({
    before(call) {
      if (!armed || !when(call)) return;
      armed = false;
      work();
    },
  });
  return { port, arm: () => void (armed = true) };
}

const isWrite = ({ name }: PortCall): boolean => name === "writeSync";

test("a takeover that fails does not open the door for the late owner", async () => {
  const rivalAnswers: ScriptNote[] = [];
  const { port, arm } = interrupted(isWrite, () => {
    // Its copy of the log does not fit on the disk; then another one succeeds.
    ageLocks(dir);
    const ledger = join(dir, "failed.ledger");
    const faults = [{ at: 1, act: "fail", code: "ENOSPC", counts: ["copyFile"] }] as const;
    const steps: Step[] = [{ do: "append", session: "s", ids: ["refused"] }];
    const place = { adapter: "file", at: dir } as const;
    runChildNow("run-script", { place, ledger, steps, faults } satisfies Script);
    expect(readLedger<ScriptNote>(ledger)[0]).toEqual({ step: 0, error: "IO_FAILED" });
    rmSync(ledger);
    rivalAnswers.push(...rival({ do: "append", session: "s", ids: ["r1"] }));
  });
  const late = open(port);
  await late.append("s", [eventOf("a1")]);
  arm();
  expect(await late.append("s", [eventOf("late")])).toBe(3);
  expect(rivalAnswers[0]).toEqual({ step: 0, result: 2 });
  expect(await stateOf(open())).toEqual({ s: ["a1", "r1", "late"] });
});

test("merged appends that landed by half are each there once", async () => {
  let shortened = false;
  let interruptions = 0;
  const port = hookPort({
    replace({ name, args }) {
      if (name !== "writeSync" || shortened) return args;
      const bytes = args[1] as Buffer;
      const second = bytes.indexOf('"id":"m2"');
      if (second === -1) return args;
      // write(2) may stop anywhere; here it stops right behind the first of the merged appends.
      shortened = true;
      const end = bytes.lastIndexOf("\n", second) + 1;
      return [args[0], bytes, args[2], end, args[4]];
    },
    before({ name }) {
      if (name !== "writeSync" || !shortened || interruptions > 0) return;
      interruptions += 1;
      rival({ do: "append", session: "s", ids: ["r1"] });
    },
  });
  const late = open(port);
  await late.append("s", [eventOf("a1")]);
  const results = await Promise.all(
    ["m0", "m1", "m2", "m3"].map((id) => answerOf(() => late.append("s", [eventOf(id)]))),
  );
  expect(interruptions).toBe(1);
  const state = await stateOf(open());
  const acknowledged = ["m0", "m1", "m2", "m3"].filter(
    (_, index) => typeof results[index] === "number",
  );
  for (const id of ["a1", "r1", ...acknowledged]) {
    expect(
      state["s"]?.filter((one) => one === id),
      `${id} of ${state["s"]?.join()}`,
    ).toEqual([id]);
  }
  for (const [index, id] of ["m0", "m1", "m2", "m3"].entries()) {
    const result = results[index];
    if (typeof result === "number") expect(state["s"]?.[result - 1]).toBe(id);
    else
      expect(result === "OUTCOME_UNKNOWN" || !state["s"]?.includes(id), String(result)).toBe(true);
  }
});

test("an append that landed is not called BUSY or failed when nobody could look", async () => {
  const { port, arm } = interrupted(
    ({ name }) => name.startsWith("fdatasync"),
    () => {
      rival({ do: "append", session: "s", ids: ["r1"] });
      // Somebody holds the lock from now on, and the late owner's release cannot remove it.
      const lock = join(dir, "s.lock");
      mkdirSync(join(lock, "in use"), { recursive: true });
      utimesSync(lock, new Date(), new Date(Date.now() + 3_600_000));
    },
  );
  const late = open(port, undefined, 300);
  await late.append("s", [eventOf("a1")]);
  arm();
  const answer = await answerOf(() => late.append("s", [eventOf("late")]));
  expect(await idsOf(open(), "s")).toEqual(["a1", "late", "r1"]);
  expect(answer).toBe("OUTCOME_UNKNOWN");
  rmSync(join(dir, "s.lock"), { recursive: true });
});

const flip: Codec = {
  id: "flip",
  kind: "transform",
  encode: (bytes) => bytes.map((byte) => byte ^ 0x5a),
  decode: (bytes) => bytes.map((byte) => byte ^ 0x5a),
};

test("a takeover inside exclusive work harms neither the session nor another one", async () => {
  const { port, arm } = interrupted(
    ({ name }) => name === "fdatasyncSync" || name === "fdatasync",
    () => void rival({ do: "delete", session: "s" }),
  );
  const late = open(port, flip);
  const other = open(undefined, flip);
  await late.append("s", [eventOf("a1")]);
  await late.append("other", [eventOf("o1")]);
  await other.append("s", [eventOf("a2")]);
  // Its remembered head is out of date, so it goes on inside exclusive work.
  arm();
  const answer = await answerOf(() => late.append("s", [eventOf("late")]));
  expect(["OUTCOME_UNKNOWN", 1]).toContain(answer);
  await late.append("other", [eventOf("o2")]);
  await late.append("s", [eventOf("next")]);
  const state = await stateOf(open(undefined, flip));
  expect(state["other"]).toEqual(["o1", "o2"]);
  expect(state["s"]?.filter((id) => id === "next")).toEqual(["next"]);
});

describe("removed by hand while an owner lingers", () => {
  test.each(["s.lock", "s.owner"])("%s", async (name) => {
    const [first, second] = [open(), open()];
    await first.append("s", [eventOf("a1")]);
    rmSync(join(dir, name), { recursive: true });
    const appends = ["b", "c", "d", "e"].map((id, index) =>
      (index % 2 === 0 ? first : second).append("s", [eventOf(id)]),
    );
    const heads = await Promise.all(appends);
    expect(heads.toSorted((left, right) => left - right)).toEqual([2, 3, 4, 5]);
    const ids = await idsOf(open(), "s");
    expect(ids.toSorted()).toEqual(["a1", "b", "c", "d", "e"]);
    await stateOf(open());
  });
});

describe("removed by hand in the middle of an append", () => {
  test.each(["s.lock", "s.owner", "s.lock and s.owner"])("%s", async (what) => {
    const names = what.split(" and ");
    const { port, arm } = interrupted(isWrite, () => {
      for (const name of names) rmSync(join(dir, name), { recursive: true });
      rival({ do: "append", session: "s", ids: ["r1"] });
    });
    const late = open(port);
    await late.append("s", [eventOf("a1")]);
    arm();
    const answer = await answerOf(() => late.append("s", [eventOf("late")]));
    const seen: string[] = [];
    try {
      for await (const { event } of open().read("s")) seen.push(event.id);
      await stateOf(open());
      expect(seen).toEqual(["a1", "r1", ...(answer === 3 ? ["late"] : [])]);
    } catch (error) {
      // Two owners, thanks to the hand. What must not happen is that nobody notices.
      expect(names).toContain("s.owner");
      expect(error).toMatchObject({ code: "CORRUPT_LOG" });
      expect(answer).toBe("OUTCOME_UNKNOWN");
      expect(seen).toEqual(["a1", "r1"]);
    }
  });
});

test("an owner leaves nothing behind once every handle is closed", async () => {
  const { port, arm } = interrupted(isWrite, () => {
    rival({ do: "append", session: "s", ids: ["r1"] });
  });
  const late = open(port);
  await late.append("s", [eventOf("a1")]);
  arm();
  await late.append("s", [eventOf("late")]);
  await late.close();
  expect(leftovers(dir)).toEqual([]);
});
