import { requireValid, runClients } from "../history/run-clients.ts";
import {
  id,
  numbered,
  sequence,
  readAll,
  eventsOf,
  numbersOf,
  type Handle,
} from "../session-state.ts";
import { failureOf } from "../check.ts";
import {
  isCheckpointError,
  CheckpointConflictError,
  type AppendOptions,
  type HeadToken,
} from "../../src/index.ts";
import type { Properties } from "../property.ts";

/** Things that are neither a seq nor a token. */
const garbage: readonly unknown[] = [
  -1,
  1.5,
  NaN,
  Infinity,
  2 ** 53,
  null,
  "1",
  "",
  ":",
  "1:",
  "token",
  "a:-1",
  "a:01",
  "a:b:1",
  "a:1x",
  "a:9007199254740992",
  [],
  [0],
  true,
  0n,
  Symbol("0"),
  () => 0,
];

interface Race {
  readonly winners: number[];
  readonly conflicts: CheckpointConflictError[];
}

/** Sorts the results of racers; a failure other than a conflict is a failure of the rule. */
async function race(runners: readonly Promise<number>[]): Promise<Race> {
  const result: Race = { winners: [], conflicts: [] };
  for (const settled of await Promise.allSettled(runners)) {
    if (settled.status === "fulfilled") result.winners.push(settled.value);
    else if (isCheckpointError(settled.reason, "CONFLICT")) {
      result.conflicts.push(settled.reason as CheckpointConflictError);
    } else throw settled.reason;
  }
  return result;
}

/** Appends the successor of what it read, again and again until nobody was faster. */
async function increment(handle: Handle): Promise<void> {
  for (;;) {
    const events = (await eventsOf(handle)) as Array<{ n: number }>;
    const next = { n: (events.at(-1)?.n ?? 0) + 1 };
    const { winners } = await race([handle.append(id, [next], events.length)]);
    if (winners.length > 0) return;
  }
}

/** What an expected head promises, alone and among racers. */
export const expectedHeadProperties: Properties = [
  {
    id: "P14",
    group: "expected head",
    level: "L1",
    statement: "An append that expects the actual head lands",
    reason: "The happy path of everybody who writes safely",
    cases: [
      {
        name: "append() accepts the actual head",
        async run({ open, check }) {
          const handle = await open();
          check.same(await handle.append(id, numbered(1, 2), 0), 2);
          check.same(await handle.append(id, numbered(3, 3), 2), 3);
          check.same(await handle.append(id, numbered(4, 4), undefined), 4);
          check.equal(await numbersOf(handle), [1, 2, 3, 4]);
        },
      },
      {
        name: "append() accepts the actual head in each form",
        requires: ["full", "headToken"],
        async run({ open, check }) {
          const handle = await open();
          check.same(await handle.append(id, numbered(1, 1), 0), 1);
          check.same(await handle.append(id, numbered(2, 2), { expectedHead: 1 }), 2);
          check.same(await handle.append(id, numbered(3, 3), await handle.headToken(id)), 3);
          const expectedHead = await handle.headToken(id);
          check.same(await handle.append(id, numbered(4, 4), { expectedHead }), 4);
          check.same(await handle.append(id, numbered(5, 5), { expectedHead: undefined }), 5);
          check.same(await handle.append(id, numbered(6, 6), {}), 6);
          check.same(await handle.append(id, numbered(7, 7), undefined), 7);
          check.equal(await numbersOf(handle), [1, 2, 3, 4, 5, 6, 7]);
        },
      },
    ],
  },
  {
    id: "P15",
    group: "expected head",
    level: "L1",
    statement:
      "An append that expects another head, below or above, conflicts and says what was expected and what was met",
    reason:
      "A caller that cannot tell a conflict from a failure, or does not learn the head, can only guess",
    cases: [
      {
        name: "append() rejects a head below or above the actual one and says which",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          for (const expected of [0, 1, 2, 4, 5, 2 ** 53 - 1]) {
            await check.conflicts(handle.append(id, numbered(9, 9), expected), {
              sessionId: id,
              expected,
              actual: 3,
            });
          }
          check.equal(await numbersOf(handle), [1, 2, 3]);
        },
      },
      {
        name: "append() conflicts with an error of its own class, in each form",
        requires: ["full"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          for (const expected of [0, 1, 2, 4, 5, 2 ** 53 - 1]) {
            for (const form of [expected, { expectedHead: expected }]) {
              const error = await failureOf(handle.append(id, numbered(9, 9), form));
              check.ok(
                error instanceof CheckpointConflictError,
                "wanted a CheckpointConflictError",
              );
              check.matches(error, {
                name: "CheckpointConflictError",
                code: "CONFLICT",
                retryable: false,
                sessionId: id,
                expected,
                actual: 3,
              });
            }
          }
          check.equal(await numbersOf(handle), [1, 2, 3]);
        },
      },
    ],
  },
  {
    id: "P16",
    group: "expected head",
    level: "L1",
    statement:
      "Expecting 0 creates a session or conflicts; expecting more of an absent session conflicts with 0",
    reason: "0 is what `if (expectedHead)` takes for no expectation at all",
    reports: ["JetBrains/koog#2051"],
    cases: [
      {
        name: "append() that expects 0 creates a session or conflicts",
        async run({ open, check }) {
          const handle = await open();
          await check.conflicts(handle.append(id, numbered(1, 1), 1), { expected: 1, actual: 0 });
          check.equal(await handle.list(), []);
          check.same(await handle.append(id, numbered(1, 1), 0), 1);
          for (const zero of [0, -0]) {
            await check.conflicts(handle.append(id, numbered(2, 2), zero), { actual: 1 });
          }
          await handle.delete(id);
          check.same(await handle.append(id, numbered(6, 6), 0), 1);
          check.equal(await numbersOf(handle), [6]);
        },
      },
      {
        name: "append() takes expectedHead 0 for absent or empty, never for no check",
        requires: ["truncate", "full"],
        async run({ open, check }) {
          const handle = await open();
          check.matches(await failureOf(handle.append(id, numbered(1, 1), 1)), {
            code: "CONFLICT",
            expected: 1,
            actual: 0,
          });
          check.equal(await handle.list(), []);
          check.same(await handle.append(id, numbered(1, 1), 0), 1);
          for (const zero of [0, -0, { expectedHead: 0 }]) {
            const error = await failureOf(handle.append(id, numbered(2, 2), zero));
            check.matches(error, { code: "CONFLICT", actual: 1 });
          }
          await handle.truncate(id, 0);
          check.same(await handle.append(id, numbered(5, 5), 0), 1);
          await handle.delete(id);
          check.same(await handle.append(id, numbered(6, 6), { expectedHead: 0 }), 1);
          check.equal(await numbersOf(handle), [6]);
        },
      },
    ],
  },
  {
    id: "P17",
    group: "expected head",
    level: "L2",
    statement: "An append without an expectation never conflicts, whoever else writes",
    reason: "A caller that asked for no check cannot do anything about a conflict",
    reports: ["JetBrains/koog#2051"],
    cases: [
      {
        name: "append() without expectedHead never conflicts, whoever else writes",
        async run({ openMany, check }) {
          const handles = await openMany(4);
          const writer = async (index: number) => {
            for (const n of sequence(1, 3)) {
              await handles[index % 4]!.append(id, [{ writer: index, n }]);
            }
          };
          await Promise.all(sequence(0, 15).map(writer));
          const stored = await readAll(handles[0]!);
          check.equal(
            stored.map(({ seq }) => seq),
            sequence(1, 48),
          );
          const events = stored.map(({ event }) => event as { writer: number; n: number });
          for (const index of sequence(0, 15)) {
            const own = events.filter(({ writer }) => writer === index).map(({ n }) => n);
            check.equal(own, [1, 2, 3]);
          }
        },
      },
    ],
  },
  {
    id: "P18",
    group: "expected head",
    level: "L1",
    statement: "Garbage as expectation or events is refused and never taken for no expectation",
    reason:
      "NaN compares unequal to everything, so a check that is written carelessly lets it through or never does",
    reports: ["kurrent-io/KurrentDB-Client-NodeJS#348"],
    cases: [
      {
        name: "append() refuses numbers that no head can be",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 2));
          await check.changesNothing(handle, async () => {
            for (const value of [-1, 1.5, NaN, Infinity, 2 ** 53, null, "2"]) {
              await check.refuses(handle.append(id, numbered(3, 3), value as number), value);
              await check.refuses(handle.append("new", numbered(3, 3), value as number), value);
            }
          });
        },
      },
      {
        name: "append() and truncate() refuse garbage as expected head",
        requires: ["full", "truncate"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 2));
          await check.changesNothing(handle, async () => {
            for (const value of garbage) {
              const expected = value as number;
              await check.refuses(handle.append(id, numbered(3, 3), expected), value);
              await check.refuses(handle.append("new", numbered(3, 3), expected), value);
              await check.refuses(handle.append(id, [], expected), value);
              const options: AppendOptions = { expectedHead: expected };
              await check.refuses(handle.append(id, numbered(3, 3), options), value);
              await check.refuses(handle.truncate(id, 1, expected), value);
            }
            const options = { expectedHead: 2 } as unknown as number;
            await check.refuses(handle.truncate(id, 1, options), options);
          });
        },
      },
      {
        name: "append() takes nothing but an array of events",
        requires: ["full"],
        async run({ open, check }) {
          const handle = await open();
          const garbage = [{}, { length: 1, 0: {} }, "text", null, undefined, 1, new Set([{}])];
          for (const events of garbage) {
            await check.refuses(handle.append(id, events as unknown as object[]), events);
          }
          for (const signal of [null, 1, {}]) {
            const options = { signal: signal as unknown as AbortSignal };
            await check.refuses(handle.append(id, [{}], options), signal);
          }
          check.equal(await handle.list(), []);
        },
      },
    ],
  },
  {
    id: "P19",
    group: "expected head",
    level: "L1",
    statement: "A conflict changes nothing: no content, no list order, no time, no idempotency key",
    reason: "A refusal that leaves traces is an unacknowledged write",
    reports: ["kurrent-io/KurrentDB-Client-Dotnet#159"],
    cases: [
      {
        name: "append() that conflicts leaves everything as it was",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 2));
          await handle.append("later", numbered(1, 1));
          await check.changesNothing(handle, async () => {
            for (const stale of [0, 1, 3]) {
              await check.conflicts(handle.append(id, numbered(3, 9), stale), { actual: 2 });
              await check.conflicts(handle.append(id, [], stale), { actual: 2 });
            }
            await check.conflicts(handle.append("new", numbered(1, 1), 4), { actual: 0 });
          });
        },
      },
      {
        name: "append() that conflicts changes nothing at all",
        requires: ["full", "truncate", "headToken"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 2));
          await handle.append("later", numbered(1, 1));
          const token: HeadToken = await handle.headToken("later");
          await check.changesNothing(handle, async () => {
            for (const other of [handle, await open()]) {
              for (const stale of [0, 1, 3, token]) {
                await failureOf(other.append(id, numbered(3, 9), stale));
                await failureOf(other.append(id, [], stale));
                await failureOf(other.truncate(id, 0, stale));
              }
            }
          });
        },
      },
    ],
  },
  {
    id: "P20",
    group: "expected head",
    level: "L2",
    statement: "Of many appends that expect the same head exactly one lands",
    reason: "This is the one thing an expectation is for",
    reports: ["microsoft/botbuilder-js#181", "SBortz/boundlessdb#53"],
    cases: [
      {
        name: "append() lets exactly one of many racers with one expectedHead win",
        async run({ openMany, check }) {
          const handles = await openMany(8);
          const racers = [...handles, ...handles];
          for (const head of [0, 3]) {
            const attempts = racers.map((handle, n) =>
              handle.append(id, [{ n }, { n }, { n }], head),
            );
            const { winners, conflicts } = await race(attempts);
            check.equal(winners, [head + 3]);
            check.same(conflicts.length, 15);
            for (const { expected, actual } of conflicts) {
              check.equal({ expected, actual }, { expected: head, actual: head + 3 });
            }
          }
          check.same(await handles[0]!.head(id), 6);
        },
      },
      {
        name: "fork() lets exactly one of many racers make the target",
        requires: ["fork", "full"],
        async run({ openMany, check }) {
          const handles = await openMany(4);
          await handles[0]!.append("source", numbered(1, 5));
          const forks = handles.map((handle, index) => handle.fork("source", index + 2, id));
          const { winners, conflicts } = await race(forks);
          check.same(winners.length, 1);
          check.same(conflicts.length, 3);
          check.equal(await numbersOf(handles[0]!), sequence(1, winners[0]!));
        },
      },
    ],
  },
  {
    id: "P21",
    group: "expected head",
    level: "L2",
    statement: "Writers that read, expect and try again lose no update",
    reason: "Two workers on one session are how a conversation loses turns",
    reports: [
      "langchain-ai/langgraph#8115",
      "langchain-ai/langgraph#8796",
      "ricofritzsche/eventstore-ts-example#1",
    ],
    cases: [
      {
        name: "append() with expectedHead loses no update of writers that retry",
        async run({ openMany, check }) {
          const incrementer = async (handle: Handle) => {
            for (const _ of sequence(1, 6)) await increment(handle);
          };
          const handles = await openMany(4);
          await Promise.all(handles.map(incrementer));
          check.equal(await numbersOf(handles[0]!), sequence(1, 24));
        },
      },
    ],
  },
  {
    id: "P22",
    group: "expected head",
    level: "L2",
    statement: "A conflict is never turned into a success behind the caller's back",
    reason: "A helpful retry writes events that were decided on without what came before them",
    reports: ["langchain-ai/langgraph#8862"],
    cases: [
      {
        name: "append() that loses a race is not tried again with another expectation",
        async run({ openMany, check }) {
          const handles = await openMany(4);
          for (const round of sequence(0, 9)) {
            const head = await handles[0]!.head(id);
            const attempts = await Promise.allSettled(
              handles.map((handle, racer) => handle.append(id, [{ round, racer }], head)),
            );
            const winner = attempts.findIndex(({ status }) => status === "fulfilled");
            check.equal(await eventsOf(handles[0]!).then((events) => events.slice(head)), [
              { round, racer: winner },
            ]);
          }
        },
      },
    ],
  },
  {
    id: "P23",
    group: "expected head",
    level: "L2",
    statement:
      "Contention other than a wrong expectation is reported as BUSY, retryable, and changed nothing",
    reason:
      "A lock timeout that is called a conflict makes the caller rebase on nothing, and one that is called an error makes it give up",
    reports: ["WiseLibs/better-sqlite3#1067"],
    cases: [
      {
        name: "append() of many handles at once fails with nothing but BUSY, and then stored nothing",
        async run({ openMany, check }) {
          const handles = await openMany(8);
          const calls = handles.flatMap((handle, writer) =>
            sequence(1, 4).map((n) => ({
              event: { n, writer },
              call: handle.append(id, [{ n, writer }]),
            })),
          );
          const results = await Promise.allSettled(calls.map(({ call }) => call));
          const stored = (await eventsOf(handles[0]!)).map((event) => JSON.stringify(event));
          for (const [index, result] of results.entries()) {
            const { event } = calls[index]!;
            if (result.status === "rejected") {
              const busy = isCheckpointError(result.reason, "BUSY") && result.reason.retryable;
              check.ok(busy, `contention is BUSY and retryable, met ${String(result.reason)}`);
            }
            const wanted = result.status === "fulfilled" ? 1 : 0;
            check.same(stored.filter((one) => one === JSON.stringify(event)).length, wanted);
          }
        },
      },
      {
        name: "append() that cannot get at its session in time fails with BUSY and stores nothing",
        requires: ["block"],
        async run({ open, check, fixture }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          const release = await fixture.block!(id);
          try {
            for (const expected of [undefined, 1]) {
              const error = await check.fails(handle.append(id, numbered(9, 9), expected), "BUSY");
              check.matches(error, { retryable: true });
            }
          } finally {
            await release();
          }
          check.same(await handle.append(id, numbered(2, 2), 1), 2);
          check.equal(await numbersOf(handle), [1, 2]);
        },
      },
    ],
  },
  {
    id: "P24",
    group: "expected head",
    level: "L2",
    statement:
      "The head that a conflict reports was the head at some time during the call, and is not the expected one",
    reason: "A reported head that was read later, or never, sends the retry into the next conflict",
    cases: [
      {
        name: "append() of racers that conflict names a head that was there, and not the expected one",
        async run({ openMany, check, budget, note }) {
          const handles = await openMany(8);
          const history = await runClients({ handles, steps: 20, shortens: false, budget });
          const conflicts = history.operations.filter(
            ({ outcome }) => outcome.status === "conflict",
          );
          note(`${conflicts.length} conflicts`);
          check.ok(conflicts.length > 0, "racers conflict");
          requireValid(check, history, ["H7"]);
        },
      },
    ],
  },
];
