import { expect } from "vitest";
import { isCheckpointError, type ErrorCode } from "../../src/index.ts";
import type { Handle } from "../stores.ts";
import {
  collect,
  expectCode,
  expectNoChange,
  failureOf,
  id,
  numbered,
  numbersOf,
  readAll,
  sequence,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

/** Every method of a handle, to be called. */
function callsOf(handle: Handle): Array<() => Promise<unknown>> {
  return [
    () => handle.append(id, numbered(1, 1)),
    () => handle.append(id, []),
    () => collect(handle.read(id)),
    () => collect(handle.read(id, { reverse: true })),
    () => handle.head(id),
    () => handle.headToken(id),
    () => handle.list(),
    () => handle.fork(id, 1, "target"),
    () => handle.truncate(id, 1),
    () => handle.delete("target"),
    () => collect(handle.tail(id)),
    () => collect(handle.verify()),
    () => collect(handle.verify(id)),
    () => handle.repair(id),
    () => handle.rekey(id),
    () => handle.adopt(),
  ];
}

/** Checks that every method of a handle fails with CLOSED. */
async function expectClosed(handle: Handle): Promise<void> {
  for (const call of callsOf(handle)) await expectCode(call(), "CLOSED");
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}

const rules: Rule[] = [
  {
    name: "verify() finds nothing wrong with healthy sessions and changes nothing",
    async run(store) {
      const handle = store.open();
      expect(await collect(handle.verify())).toEqual([]);
      await handle.append("a", numbered(1, 3));
      await handle.append("a", numbered(4, 300));
      await handle.append("b", numbered(1, 2));
      await handle.truncate("b", 0);
      await handle.fork("a", 2, "c");
      const healthy = { ok: true, findings: [] };
      await expectNoChange(handle, async () => {
        const reports = await collect(store.open().verify());
        expect(reports.toSorted((x, y) => (x.sessionId < y.sessionId ? -1 : 1))).toEqual([
          { ...healthy, sessionId: "a", records: 300 },
          { ...healthy, sessionId: "b", records: 0 },
          { ...healthy, sessionId: "c", records: 2 },
        ]);
      });
    },
  },
  {
    name: "verify() with an id reports on that session alone",
    async run(store) {
      const handle = store.open();
      for (const sessionId of ["a", "ab", "A"]) await handle.append(sessionId, numbered(1, 2));
      const reports = await collect(handle.verify("a"));
      expect(reports).toEqual([{ sessionId: "a", ok: true, records: 2, findings: [] }]);
      expect(await collect(handle.verify("unknown"))).toEqual([]);
    },
  },
  {
    name: "repair() of a healthy session does nothing, or is not supported as declared",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 3));
      await expectNoChange(handle, async () => {
        for (const sessionId of [id, "unknown"]) {
          if (handle.capabilities.repair) expect(await handle.repair(sessionId)).toBeNull();
          else await expectCode(handle.repair(sessionId), "NOT_SUPPORTED");
        }
      });
      expect(await handle.append(id, numbered(4, 4))).toBe(4);
    },
  },
  {
    name: "close() twice is fine and afterwards every method rejects with CLOSED",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 1));
      await handle.close();
      await handle.close();
      await handle[Symbol.asyncDispose]();
      await expectClosed(handle);
    },
  },
  {
    name: "close() of a handle that was never used is fine",
    async run(store) {
      const handle = store.open();
      await Promise.all([handle.close(), handle.close()]);
      await expectClosed(handle);
    },
  },
  {
    name: "close() lets pending changes complete",
    async run(store) {
      const handle = store.open();
      const heads = sequence(1, 20).map((n) => handle.append(id, [{ n }]));
      const truncated = handle.truncate(id, 15);
      const last = handle.append(id, numbered(99, 99));
      await handle.close();
      expect(await Promise.all(heads)).toEqual(sequence(1, 20));
      await truncated;
      expect(await last).toBe(16);
      if (handle.capabilities.concurrency === "instance") return;
      expect(await numbersOf(store.open())).toEqual([...sequence(1, 15), 99]);
    },
  },
  {
    name: "close() ends running reads and followers with CLOSED",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 3_000));
      const read = handle.read(id)[Symbol.asyncIterator]();
      await read.next();
      const follower = handle.tail(id, { sinceSeq: 3_000 })[Symbol.asyncIterator]();
      const waiting = failureOf(follower.next());
      await handle.close();
      expect(await waiting).toMatchObject({ code: "CLOSED" });
      await expectCode({ [Symbol.asyncIterator]: () => read }, "CLOSED");
    },
  },
  {
    name: "close() lets calls that are under way end with a result or with CLOSED",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 600));
      await handle.append("other", numbered(1, 1));
      const calls = callsOf(handle).map((call) => call().catch((error: unknown) => error));
      await handle.close();
      // Some of them change what others read.
      const allowed: ErrorCode[] = ["CLOSED", "NOT_SUPPORTED", "LOG_CHANGED"];
      for (const result of await Promise.all(calls)) {
        if (!(result instanceof Error)) continue;
        if (!allowed.some((code) => isCheckpointError(result, code))) throw result;
      }
    },
  },
  {
    name: "close() leaves other handles of the store alone",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      if (handle.capabilities.concurrency === "instance") return;
      await handle.append(id, numbered(1, 1));
      await other.append(id, numbered(2, 2));
      await handle.close();
      expect(await other.append(id, numbered(3, 3), 2)).toBe(3);
      expect(await readAll(other)).toHaveLength(3);
    },
  },
  {
    name: "a handle is disposed at the end of its scope",
    async run(store) {
      let kept: Handle;
      {
        await using handle = store.open();
        await handle.append(id, numbered(1, 1));
        kept = handle;
      }
      await expectCode(kept.head(id), "CLOSED");
    },
  },
  {
    name: "capabilities are frozen, survive JSON, and are the same for every handle",
    async run(store) {
      const { capabilities } = store.open();
      expect(isDeeplyFrozen(capabilities)).toBe(true);
      expect(JSON.parse(JSON.stringify(capabilities))).toStrictEqual(capabilities);
      expect(store.open().capabilities).toStrictEqual(capabilities);
      expect(capabilities).toMatchObject({
        kit: 1,
        truncate: true,
        range: true,
        idempotency: true,
        headToken: true,
        listPage: true,
        fork: true,
        verify: true,
        limits: { maxSessionIdBytes: 512 },
      });
      expect(["instance", "process", "host", "network"]).toContain(capabilities.concurrency);
      expect(["none", "process", "power"]).toContain(capabilities.durability);
      expect(["snapshot", "prefix"]).toContain(capabilities.readIsolation);
      expect(["local", "server"]).toContain(capabilities.clock);
      expect(["poll", "push"]).toContain(capabilities.tail);
    },
  },
];

/** What a handle itself promises: verification, closing, capabilities. */
export const handleRules: RuleGroup = { name: "handle", rules };
