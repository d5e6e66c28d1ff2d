import { requireValid, runClients } from "../history/run-clients.ts";
import {
  id,
  numbered,
  sequence,
  readAll,
  numbersOf,
  type Handle,
  listedIds,
} from "../session-state.ts";
import { collect } from "../collect.ts";
import { failureOf, type Check } from "../check.ts";
import { isCheckpointError, type ErrorCode } from "../../src/index.ts";
import { begin } from "../begin.ts";
import type { Properties } from "../property.ts";

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
async function expectClosed(check: Check, handle: Handle): Promise<void> {
  for (const call of callsOf(handle)) await check.fails(call(), "CLOSED");
}

/** Many handles onto one store, one after the other and at once. */
export const handlesProperties: Properties = [
  {
    id: "P53",
    group: "handles",
    level: "L2",
    statement: "What one handle has appended every handle sees at once",
    reason: "The user's window and the worker are two handles",
    cases: [
      {
        name: "append() makes an event visible to other handles when it resolves",
        async run({ open, check }) {
          const [writer, reader] = [await open(), await open()];
          for (const n of sequence(1, 5)) {
            check.same(await writer.append(id, [{ n }]), n);
            check.same(await reader.head(id), n);
            check.equal(await numbersOf(reader), sequence(1, n));
          }
        },
      },
    ],
  },
  {
    id: "P54",
    group: "handles",
    level: "L2",
    statement: "Two stores know nothing of each other",
    reason: "A global file or table makes two projects one",
    reports: ["anomalyco/opencode#35587"],
    cases: [
      {
        name: "append() and delete() in one store leave another store alone",
        async run(context) {
          const { check } = context;
          const other = await context.another();
          const [here, there] = [await context.open(), await other.open()];
          await here.append(id, numbered(1, 3));
          check.same(await there.head(id), 0);
          check.equal(await there.list(), []);
          check.same(await there.append(id, numbered(7, 7), 0), 1);
          await here.delete(id);
          check.equal(await numbersOf(there), [7]);
          check.equal(await listedIds(here), []);
        },
      },
    ],
  },
  {
    id: "P55",
    group: "handles",
    level: "L2",
    statement:
      "Whatever clients of many handles do at once, there is one log that explains what each was told",
    reason: "Every other sentence about two writers is a special case of this one",
    reports: ["langchain-ai/langchainjs#9386", "langchain-ai/langgraph#8796"],
    cases: [
      {
        name: "eight clients append, read and look at the head",
        async run({ openMany, check, budget, note }) {
          const handles = await openMany(8);
          const history = await runClients({ handles, steps: 30, shortens: false, budget });
          note(`${history.operations.length} operations`);
          requireValid(check, history);
        },
      },
      {
        name: "four clients truncate and delete as well",
        requires: ["truncate"],
        async run({ openMany, check, budget, note }) {
          const handles = await openMany(4);
          const history = await runClients({ handles, steps: 25, shortens: true, budget });
          note(`${history.operations.length} operations with truncates and deletes`);
          requireValid(check, history);
        },
      },
    ],
  },
  {
    id: "P57",
    group: "handles",
    level: "L2",
    statement: "No handle trusts a head or a list that another one has changed",
    reason: "A cached head is right until the day there are two writers",
    cases: [
      {
        name: "append() and list() take no head for granted that another handle has changed",
        async run({ open, check }) {
          const [first, second] = [await open(), await open()];
          await first.append(id, numbered(1, 1));
          await second.append(id, numbered(2, 2));
          await check.conflicts(first.append(id, numbered(9, 9), 1), { expected: 1, actual: 2 });
          check.same(await first.append(id, numbered(3, 3)), 3);
          check.equal(
            (await second.list()).map(({ head }) => head),
            [3],
          );
          await first.delete(id);
          check.same(await second.head(id), 0);
          await check.conflicts(second.append(id, numbered(9, 9), 3), { expected: 3, actual: 0 });
          check.same(await second.append(id, numbered(4, 4), 0), 1);
          check.equal(await numbersOf(first), [4]);
        },
      },
      {
        name: "append() and truncate() reject a head that another handle has moved",
        requires: ["full", "truncate"],
        async run({ open, check }) {
          const [first, second] = [await open(), await open()];
          await first.append(id, numbered(1, 1));
          await second.append(id, numbered(2, 2));
          const stale = await failureOf(first.append(id, numbered(9, 9), 1));
          check.matches(stale, { code: "CONFLICT", expected: 1, actual: 2 });
          check.same(await first.append(id, numbered(3, 3), 2), 3);
          check.matches(await failureOf(second.truncate(id, 1, 2)), { actual: 3 });
          await first.truncate(id, 1, 3);
          const beyond = await failureOf(second.append(id, numbered(9, 9), 3));
          check.matches(beyond, { code: "CONFLICT", actual: 1 });
          await first.delete(id);
          const delayed = await failureOf(second.append(id, numbered(9, 9), 1));
          check.matches(delayed, { code: "CONFLICT", actual: 0 });
          check.same(await second.append(id, numbered(4, 4), 0), 1);
          check.equal(await numbersOf(first), [4]);
        },
      },
    ],
  },
  {
    id: "P58",
    group: "handles",
    level: "L2",
    statement: "Work on one session neither blocks nor conflicts with work on another",
    reason: "One stuck conversation must not stop the others",
    cases: [
      {
        name: "append() to one session does not wait for another",
        async run({ open, check }) {
          const handle = await open();
          const sessions = sequence(1, 20).map((n) => `session-${n}`);
          const append = (sessionId: string) => handle.append(sessionId, numbered(1, 2));
          check.equal(
            await Promise.all(sessions.map(append)),
            sessions.map(() => 2),
          );
          for (const sessionId of sessions) check.equal(await numbersOf(handle, sessionId), [1, 2]);
        },
      },
    ],
  },
  {
    id: "P60",
    group: "handles",
    level: "L1",
    requires: ["full"],
    statement:
      "After close() every method rejects with CLOSED, pending changes complete, and other handles go on",
    reason: "A process that shuts down must neither lose its last words nor take others with it",
    cases: [
      {
        name: "close() twice is fine and afterwards every method rejects with CLOSED",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          await handle.close();
          await handle.close();
          await handle[Symbol.asyncDispose]();
          await expectClosed(check, handle);
        },
      },
      {
        name: "close() of a handle that was never used is fine",
        async run({ open, check }) {
          const handle = await open();
          await Promise.all([handle.close(), handle.close()]);
          await expectClosed(check, handle);
        },
      },
      {
        name: "close() lets pending changes complete",
        requires: ["truncate"],
        async run({ open, check, manifest }) {
          const handle = await open();
          const heads = begin(Promise.all(sequence(1, 20).map((n) => handle.append(id, [{ n }]))));
          const truncated = begin(handle.truncate(id, 15));
          const last = begin(handle.append(id, numbered(99, 99)));
          let settled = false;
          void begin(last.finally(() => void (settled = true)));
          await handle.close();
          // Whoever wraps a handle in functions of their own hears of an append a little later.
          await new Promise<void>((resolve) => void setImmediate(resolve));
          check.ok(settled, "pending changes are over when close() is");
          check.equal(await heads, sequence(1, 20));
          await truncated;
          check.same(await last, 16);
          if (manifest.concurrency === "instance") return;
          check.equal(await numbersOf(await open()), [...sequence(1, 15), 99]);
        },
      },
      {
        name: "close() ends running reads and followers with CLOSED",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3_000));
          const read = handle.read(id)[Symbol.asyncIterator]();
          await read.next();
          const follower = handle.tail(id, { sinceSeq: 3_000 })[Symbol.asyncIterator]();
          const waiting = begin(failureOf(follower.next()));
          await handle.close();
          check.matches(await waiting, { code: "CLOSED" });
          await check.fails({ [Symbol.asyncIterator]: () => read }, "CLOSED");
        },
      },
      {
        name: "close() lets calls that are under way end with a result or with CLOSED",
        async run({ open }) {
          const handle = await open();
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
        requires: ["handles"],
        async run({ open, check, manifest }) {
          const [handle, other] = [await open(), await open()];
          if (manifest.concurrency === "instance") return;
          await handle.append(id, numbered(1, 1));
          await other.append(id, numbered(2, 2));
          await handle.close();
          check.same(await other.append(id, numbered(3, 3), 2), 3);
          check.same((await readAll(other)).length, 3);
        },
      },
      {
        name: "a handle is disposed at the end of its scope",
        async run({ open, check }) {
          let kept: Handle;
          {
            await using handle = await open();
            await handle.append(id, numbered(1, 1));
            kept = handle;
          }
          await check.fails(kept.head(id), "CLOSED");
        },
      },
    ],
  },
];
