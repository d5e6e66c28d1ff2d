// After a failed sync the kernel may call lost pages clean, so that the next sync on the same descriptor
// succeeds without having written anything (fsync(2), "fsyncgate"). So nothing is acknowledged on it again.

import { expect, test } from "vitest";
import { hookPort, systemError, type PortName } from "../../test/processes/faulty-port.ts";
import { answerOf } from "../../test/processes/model.ts";
import { readSession, temporaryStore } from "./testing/sample-log.ts";
import { nodeFilePort, type FilePort } from "./file-port.ts";
import { createDataSync } from "./sync-data.ts";

interface Use {
  /** Which opening the descriptor comes from; numbers are used again, openings are not. */
  readonly opening: number;
  readonly name: PortName;
}

/** A port whose `failing`th data sync fails; it records which opening each later write and sync used. */
function syncFailingPort(failing: number): { port: FilePort; failed: () => number; later: Use[] } {
  let openings = 0;
  let syncs = 0;
  let failed = 0;
  const openingOf = new Map<number, number>();
  const later: Use[] = [];
  const port = hookPort({
    before(call) {
      const { name, args } = call;
      const opening = openingOf.get(Number(args[0])) ?? 0;
      const isSync = name === "fdatasync" || name === "fdatasyncSync";
      if (isSync && (syncs += 1) === failing) {
        failed = opening;
        throw systemError("EIO", call);
      }
      if (failed > 0 && (isSync || name === "writeSync")) later.push({ opening, name });
    },
    after({ name }, result) {
      if (name === "openSync") openingOf.set(Number(result), (openings += 1));
    },
  });
  return { port, failed: () => failed, later };
}

test.each([1, 2, 3])(
  "append() whose sync %i failed goes on with a new descriptor",
  async (failing) => {
    await using store = temporaryStore();
    const { port, failed, later } = syncFailingPort(failing);
    const checkpointer = store.open({ port, durability: "power", lockLingerMs: 60_000 });
    const acknowledged: string[] = [];
    const codes: unknown[] = [];
    for (let index = 0; index < 6; index += 1) {
      const answer = await answerOf(() => checkpointer.append("s", [{ id: `${index}` }]));
      if (typeof answer === "number") acknowledged.push(`${index}`);
      else codes.push(answer);
    }
    expect(codes).toEqual(["IO_FAILED"]);
    expect(failed()).toBeGreaterThan(0);
    expect(later.length).toBeGreaterThan(2);
    expect(later.filter(({ opening }) => opening === failed())).toEqual([]);
    expect(await readSession(store.open(), "s")).toMatchObject({ ids: acknowledged, error: null });
  },
);

test("append() whose sync and whose undoing failed says that it does not know", async () => {
  await using store = temporaryStore();
  let broken = false;
  const port = hookPort({
    before(call) {
      if (broken && /^(fdatasync|fsync|ftruncate)/.test(call.name)) throw systemError("EIO", call);
    },
  });
  const checkpointer = store.open({ port, durability: "power" });
  await checkpointer.append("s", [{ id: "a" }]);
  broken = true;
  const unknown = checkpointer.append("s", [{ id: "b" }]);
  await expect(unknown).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN", retryable: false });
  await expect(unknown).rejects.toHaveProperty("cause.code", "IO_FAILED");
  broken = false;
  const { ids } = await readSession(checkpointer, "s");
  expect([["a"], ["a", "b"]]).toContainEqual(ids);
  expect(await checkpointer.append("s", [{ id: "c" }])).toBe(ids.length + 1);
  expect(await readSession(checkpointer, "s")).toMatchObject({ ids: [...ids, "c"], error: null });
});

test("slow syncs move to the thread pool, where the event loop goes on", async () => {
  await using store = temporaryStore();
  const used: PortName[] = [];
  const port = hookPort({
    before({ name }) {
      if (!name.startsWith("fdatasync")) return;
      used.push(name);
      const until = performance.now() + 5;
      while (performance.now() < until);
    },
  });
  const checkpointer = store.open({ port, durability: "power" });
  for (let index = 0; index < 40; index += 1) await checkpointer.append("s", [{ id: `${index}` }]);
  expect(used[0]).toBe("fdatasyncSync");
  const inThreadPool = used.filter((name) => name === "fdatasync");
  expect(inThreadPool.length).toBeGreaterThanOrEqual(30);
});

test("syncs come back from the thread pool as soon as they are quick there", async () => {
  let slow = true;
  const used: string[] = [];
  const port: FilePort = {
    ...nodeFilePort,
    fdatasyncSync() {
      used.push("here");
      const until = performance.now() + (slow ? 5 : 0);
      while (performance.now() < until);
    },
    fdatasync: ((_fd: number, done: (error: null) => void) => {
      used.push("pool");
      done(null);
    }) as typeof nodeFilePort.fdatasync,
  };
  const syncData = createDataSync(port);
  while (used.at(-1) !== "pool") await syncData(0);
  slow = false;
  const before = used.length;
  for (let index = 0; index < 20; index += 1) await syncData(0);
  expect(used.slice(before)).toContain("here");
});
