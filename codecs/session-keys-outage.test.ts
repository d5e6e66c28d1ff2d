// Goal: when the key store or the wrapper fails or hangs, nothing is written, nothing is
// remembered, and the same call succeeds once the outage is over.

import { afterEach, expect, test, vi } from "vitest";
import { failureOf } from "../test/codecs/fixtures.ts";
import {
  createGate,
  createKeyRoom,
  kek,
  logRooms,
  readAll,
  say,
} from "../test/codecs/session-key-fixtures.ts";
import { CheckpointError } from "../src/index.ts";
import { localWrapper, type KeyWrapper } from "./index.ts";

afterEach(() => void vi.useRealTimers());

const failingCalls = ["get", "add", "wrap", "unwrap"] as const;

test.each(logRooms)(
  "an outage at any call fails appends to $name and stores nothing",
  async (kind) => {
    const log = kind.create();
    for (const failing of failingCalls) {
      const room = createKeyRoom();
      const session = `s-${failing}`;
      await log.open(room.open()).append(session, [say("before")]);
      const before = await log.payloads(session);
      room.watch.before = (name) => {
        if (name === failing) throw new Error("503 Service Unavailable");
      };
      const cold = log.open(room.open());
      const fresh = log.open(room.open());
      const unavailable = { code: "KEY_UNAVAILABLE", retryable: true };
      // The wrapper is needed for another record, the whole path for a first one.
      if (failing === "get" || failing === "unwrap") {
        await expect(cold.append(session, [say("lost")])).rejects.toMatchObject(unavailable);
        expect(await failureOf(() => readAll(cold, session))).toMatchObject(unavailable);
      }
      await expect(fresh.append(`${session}-new`, [say("lost")])).rejects.toMatchObject(
        unavailable,
      );
      expect(await log.payloads(session)).toEqual(before);
      expect(await log.payloads(`${session}-new`)).toEqual([]);
      room.watch.before = () => undefined;
      // Nothing of it is remembered.
      await cold.append(session, [say("after")]);
      await fresh.append(`${session}-new`, [say("after")]);
      expect(await readAll(cold, session)).toEqual(["before", "after"]);
      expect(await readAll(fresh, `${session}-new`)).toEqual(["after"]);
      expect((await room.store.get(`${session}-new`)).keys.length).toBeLessThanOrEqual(2);
    }
  },
);

test.each(["get", "add", "wrap", "unwrap"] as const)(
  "%s that never answers is KEY_UNAVAILABLE at the deadline, and is told to stop",
  async (hanging) => {
    const room = createKeyRoom();
    await room.open().current("known", 1);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const signals: AbortSignal[] = [];
    const inner = localWrapper({ key: kek(1) });
    const wrapper: KeyWrapper = {
      ...inner,
      async wrap(key, context, signal) {
        signals.push(signal!);
        if (hanging === "wrap") await new Promise(() => undefined);
        return inner.wrap(key, context);
      },
      async unwrap(wrapped, context, signal) {
        signals.push(signal!);
        if (hanging === "unwrap") await new Promise(() => undefined);
        return inner.unwrap(wrapped, context);
      },
    };
    const gate = createGate();
    room.watch.before = (name) => (name === hanging ? gate.pass() : undefined);
    const failures: unknown[] = [];
    const onFailure = ({ action }: { action: string }): void => void failures.push(action);
    const keys = room.open({ wrapper, timeoutMs: 5_000, onFailure });
    const session = hanging === "unwrap" ? "known" : "new";
    const refused = failureOf(() => keys.current(session, hanging === "unwrap" ? 2 : 1));
    // Everything before the call that hangs is over in a few turns.
    await vi.advanceTimersByTimeAsync(4_999);
    expect(failures).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await refused).toMatchObject({ code: "KEY_UNAVAILABLE", retryable: true });
    expect(failures).toEqual([hanging === "get" ? "read" : hanging]);
    const asked = hanging === "wrap" || hanging === "unwrap";
    expect(signals.filter(({ aborted }) => aborted)).toHaveLength(asked ? 1 : 0);
    expect(vi.getTimerCount()).toBe(0);
  },
);

test.each([
  ["KEY_UNKNOWN", "KEY_UNKNOWN"],
  ["KEY_DISABLED", "KEY_DISABLED"],
  ["KEY_SHREDDED", "KEY_SHREDDED"],
  ["WRONG_KEY", "WRONG_KEY"],
  ["AUTH_FAILED", "WRONG_KEY"],
  ["UNSUPPORTED_FORMAT", "UNSUPPORTED_FORMAT"],
  // The damage is not the log's, so nobody must be led to repair that one.
  ["CORRUPT_LOG", "UNSUPPORTED_FORMAT"],
  ["CLOSED", "CLOSED"],
  ["KEY_UNAVAILABLE", "KEY_UNAVAILABLE"],
  ["BUSY", "KEY_UNAVAILABLE"],
  ["IO_FAILED", "KEY_UNAVAILABLE"],
  ["CONFLICT", "KEY_UNAVAILABLE"],
  ["CONSTRUCTOR" as "BUSY", "KEY_UNAVAILABLE"],
] as const)("%s of a store or wrapper is %s of the source", async (theirs, ours) => {
  for (const failing of ["get", "unwrap"] as const) {
    const room = createKeyRoom();
    const { id } = await room.open().current("s", 1);
    room.watch.before = (name) => {
      if (name === failing) throw new CheckpointError(theirs, "secret");
    };
    const keys = room.open();
    for (const use of [() => keys.find("s", id), () => keys.current("s", 2)]) {
      const error = await failureOf(use);
      expect(error).toMatchObject({ code: ours, retryable: ours === "KEY_UNAVAILABLE" });
      expect(String(error)).not.toContain("secret");
    }
  }
});

test("a call that fails after its deadline is no unhandled rejection", async () => {
  const room = createKeyRoom();
  const seen: unknown[] = [];
  const note = (reason: unknown): void => void seen.push(reason);
  process.on("unhandledRejection", note);
  const gate = createGate();
  room.watch.before = async (name) => {
    if (name !== "get") return;
    await gate.pass();
    throw new Error("too late");
  };
  const keys = room.open({ timeoutMs: 1 });
  const calls = [
    () => keys.current("s", 1),
    () => keys.current("s", 2),
    () => keys.find("s", "0".repeat(16)),
  ];
  const results = await Promise.all(calls.map(failureOf));
  for (const result of results) expect(result).toMatchObject({ code: "KEY_UNAVAILABLE" });
  gate.open();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(seen).toEqual([]);
});
