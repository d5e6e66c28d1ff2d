import { id, numbered, sequence, readAll, eventsOf, numbersOf, turn } from "../session-state.ts";
import { collect } from "../collect.ts";
import { failureOf } from "../check.ts";
import { refusedEvents } from "../refused-events.ts";
import { isCheckpointError } from "../../src/index.ts";
import { begin } from "../begin.ts";
import type { Properties } from "../property.ts";

/** ISO 8601 in UTC with milliseconds. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What one append does to one log. */
export const appendProperties: Properties = [
  {
    id: "P01",
    group: "append",
    level: "L1",
    statement:
      "An unknown session has head 0, reads as empty, is not listed, and looking at it creates nothing",
    reason:
      "A picker that shows sessions nobody ever wrote, or a resume that finds an empty one, starts the wrong conversation",
    cases: [
      {
        name: "head() of an unknown session is 0 and looking creates nothing",
        async run({ open, check }) {
          const handle = await open();
          check.same(await handle.head("unknown"), 0);
          check.equal(await readAll(handle, "unknown"), []);
          check.equal(await handle.list(), []);
        },
      },
      {
        name: "headToken() and verify() of an unknown session create nothing",
        requires: ["full", "headToken", "verify"],
        async run({ open, check }) {
          const handle = await open();
          check.same(await handle.headToken("unknown"), await handle.headToken("other"));
          check.equal(await collect(handle.verify("unknown")), []);
          check.equal(await handle.list(), []);
        },
      },
    ],
  },
  {
    id: "P02",
    group: "append",
    level: "L1",
    statement: "n events on head h get seq h+1 to h+n, in argument order",
    reason:
      "Everything else counts by seq: resume, rewind and every reference from one event to another",
    cases: [
      {
        name: "append() numbers events densely from 1 and returns the new head",
        async run({ open, check }) {
          const handle = await open();
          check.same(await handle.append(id, numbered(1, 3)), 3);
          check.same(await handle.append(id, numbered(4, 4)), 4);
          check.same(await handle.append(id, numbered(5, 12)), 12);
          const stored = await readAll(handle);
          check.equal(
            stored.map(({ seq }) => seq),
            sequence(1, 12),
          );
          check.equal(
            stored.map(({ event }) => event),
            numbered(1, 12),
          );
          check.same(await handle.head(id), 12);
        },
      },
    ],
  },
  {
    id: "P03",
    group: "append",
    level: "L1",
    statement: "append() resolves to the new head, and head() then says the same",
    reason: "A caller builds its next expectation on the head it was told",
    reports: ["Eventuous/eventuous#553"],
    cases: [
      {
        name: "append() lets 64 concurrent appenders on one handle each have a seq",
        async run({ open, check }) {
          const handle = await open();
          const appender = async (writer: number) => {
            const first = await handle.append(id, [{ n: writer }]);
            return [first, await handle.append(id, [{ n: writer }])];
          };
          const heads = (await Promise.all(sequence(1, 64).map(appender))).flat();
          check.equal(
            heads.toSorted((a, b) => a - b),
            sequence(1, 128),
          );
          const stored = await readAll(handle);
          heads.forEach((head, index) => {
            check.equal(stored[head - 1]?.event, { n: Math.floor(index / 2) + 1 });
          });
        },
      },
    ],
  },
  {
    id: "P04",
    group: "append",
    level: "L1",
    statement: "The parent of the first event is null, of any other the event before",
    reason:
      "A tree of events is walked by its parent links; one wrong link hides everything before it",
    cases: [
      {
        name: "append() links each event to the one before",
        async run({ open, check }) {
          const handle = await open();
          await handle.append("a/b", numbered(1, 3));
          for (const { seq, parentSeq, sessionId } of await readAll(handle, "a/b")) {
            check.same(parentSeq, seq === 1 ? null : seq - 1);
            check.same(sessionId, "a/b");
          }
        },
      },
    ],
  },
  {
    id: "P05",
    group: "append",
    level: "L1",
    statement: "A stored event carries exactly the session id it was appended under",
    reason: "An altered id leads back to no session, or to another one",
    reports: ["langchain-ai/langgraphjs#592"],
    cases: [
      {
        name: "append() echoes the session id as it was given",
        async run({ open, check }) {
          const handle = await open();
          for (const sessionId of ["a", "B", "two words"]) {
            await handle.append(sessionId, numbered(1, 2));
            for (const stored of await readAll(handle, sessionId))
              check.same(stored.sessionId, sessionId);
          }
        },
      },
    ],
  },
  {
    id: "P06",
    group: "append",
    level: "L1",
    statement:
      "Every event has an ISO 8601 time in UTC, one for all events of an append, and times never go back",
    reason: "Times that do not parse or run backwards break every view that sorts by them",
    cases: [
      {
        name: "append() stamps one ISO time per call",
        async run({ open, check, manifest }) {
          const handle = await open();
          const server = manifest.clock === "server";
          const earliest = server ? 0 : Date.now();
          await handle.append(id, numbered(1, 3));
          await handle.append(id, numbered(4, 4));
          const times = (await readAll(handle)).map(({ ts }) => ts);
          check.same(new Set(times.slice(0, 3)).size, 1);
          check.equal(times.toSorted(), times);
          for (const ts of times) {
            check.ok(isoTime.test(ts), `${ts} is an ISO time`);
            check.atLeast(Date.parse(ts), earliest);
            if (!server) check.atMost(Date.parse(ts), Date.now() + 1);
          }
        },
      },
    ],
  },
  {
    id: "P07",
    group: "append",
    level: "L1",
    statement: "append([]) returns the head, checks the expectation, and creates and moves nothing",
    reason: "An agent that saves after every turn also saves turns in which nothing happened",
    cases: [
      {
        name: "append([]) returns the head and creates nothing",
        async run({ open, check }) {
          const handle = await open();
          const other = await open();
          check.same(await handle.append(id, []), 0);
          check.same(await handle.append(id, [], 0), 0);
          check.equal(await handle.list(), []);
          await handle.append(id, numbered(1, 2));
          await handle.append("other", numbered(1, 1));
          check.same(await check.changesNothing(handle, () => handle.append(id, [])), 2);
          check.same(await check.changesNothing(handle, () => other.append(id, [])), 2);
        },
      },
      {
        name: "append([]) checks expectedHead",
        async run({ open, check }) {
          const handle = await open();
          await check.fails(handle.append(id, [], 1), "CONFLICT");
          await handle.append(id, numbered(1, 2));
          check.same(await handle.append(id, [], 2), 2);
          await check.changesNothing(handle, async () => {
            for (const stale of [0, 1, 3])
              await check.fails(handle.append(id, [], stale), "CONFLICT");
          });
          await (await open()).append(id, numbered(3, 3));
          await check.fails(handle.append(id, [], 2), "CONFLICT");
        },
      },
      {
        name: "append([]) checks a head token",
        requires: ["headToken"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 2));
          const token = await handle.headToken(id);
          check.same(await handle.append(id, [], token), 2);
          await (await open()).append(id, numbered(3, 3));
          await check.fails(handle.append(id, [], token), "CONFLICT");
        },
      },
    ],
  },
  {
    id: "P08",
    group: "append",
    level: "L2",
    statement: "No reader ever sees a part of a batch",
    reason: "A tool call without its result looks like a call that never ended, and is run again",
    reports: ["unjs/unstorage#797"],
    cases: [
      {
        name: "read() sees a batch whole or not at all while others write",
        async run({ open, check }) {
          const [writer, reader] = [await open(), await open()];
          let writing = true;
          const write = async () => {
            for (const _ of sequence(1, 15)) await writer.append(id, numbered(1, 4));
            writing = false;
          };
          const look = async () => {
            while (writing) {
              await turn();
              check.same((await numbersOf(reader)).length % 4, 0);
              check.same((await reader.head(id)) % 4, 0);
            }
          };
          await Promise.all([write(), look()]);
          check.same(await reader.head(id), 60);
        },
      },
      {
        name: "append() keeps batches of concurrent handles whole",
        async run({ openMany, check }) {
          const handles = await openMany(8);
          const batch = (writer: number) => sequence(1, 5).map((n) => ({ writer, n }));
          const heads = await Promise.all(
            handles.map((handle, writer) => handle.append(id, batch(writer))),
          );
          const events = await eventsOf(handles[0]!);
          check.same(events.length, 40);
          heads.forEach((head, writer) => {
            check.equal(events.slice(head - 5, head), batch(writer));
          });
        },
      },
    ],
  },
  {
    id: "P09",
    group: "append",
    level: "L1",
    statement: "A batch with one bad element is refused whole and leaves no trace",
    reason:
      "Half a batch that the caller was told has failed comes twice when the caller tries again",
    cases: [
      {
        name: "append() stores nothing of a batch with one bad element",
        async run({ open, check }) {
          const handle = await open();
          const cycle: Record<string, unknown> = {};
          cycle["self"] = cycle;
          for (const bad of [{ big: 1n }, cycle, null, undefined]) {
            const batch = [{ n: 1 }, bad as object, { n: 2 }];
            await check.fails(handle.append("new", batch), "EVENT_NOT_SERIALIZABLE");
          }
          check.equal(await handle.list(), []);
          await handle.append(id, numbered(1, 1));
          await check.changesNothing(handle, () =>
            check.fails(
              handle.append(id, [{ n: 2 }, { when: new Date() }]),
              "EVENT_NOT_SERIALIZABLE",
            ),
          );
          check.same(await handle.append(id, numbered(2, 2)), 2);
          check.equal(await numbersOf(handle), [1, 2]);
        },
      },
      {
        name: "append() refuses what JSON cannot carry and names its path",
        requires: ["full"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          await check.changesNothing(handle, async () => {
            for (const { what, event, path } of refusedEvents) {
              const error = await failureOf(handle.append(id, [{ n: 2 }, event as object]));
              if (!isCheckpointError(error, "EVENT_NOT_SERIALIZABLE")) throw error;
              const points = error.message.includes(`Cannot append event 1: ${path} `);
              check.ok(points, `the refusal of ${what} names ${path}`);
            }
          });
        },
      },
    ],
  },
  {
    id: "P10",
    group: "append",
    level: "L1",
    statement:
      "A batch of 5,000 events and an event of 1 MiB are stored whole, or refused at a declared limit",
    reason:
      "Imports and long tool results meet the bind-parameter, page and buffer limits of drivers, which some cut at silently",
    cases: [
      {
        name: "append() stores 5,000 events in one batch",
        async run({ open, check }) {
          const handle = await open();
          check.same(await handle.append(id, numbered(1, 5_000)), 5_000);
          check.equal(await numbersOf(await open()), sequence(1, 5_000));
        },
      },
      {
        name: "append() refuses what is over the declared limits before anything is written",
        requires: ["full"],
        async run({ open, check, manifest }) {
          const handle = await open();
          const { maxBatchEvents, maxEventBytes } = manifest.limits;
          const event = {};
          const tooMany = Array.from({ length: maxBatchEvents + 1 }, () => event);
          await check.fails(handle.append(id, tooMany), "LIMIT_EXCEEDED");
          const tooBig = [{ n: 1 }, { text: "\u20ac".repeat(maxEventBytes / 3) }];
          await check.fails(handle.append(id, tooBig), "LIMIT_EXCEEDED");
          check.equal(await handle.list(), []);
        },
      },
    ],
  },
  {
    id: "P11",
    group: "append",
    level: "L1",
    statement: "Events are captured at the call: changing them afterwards changes nothing",
    reason: "An agent goes on building the message it has just saved",
    cases: [
      {
        name: "append() captures events at the call",
        async run({ open, check }) {
          const handle = await open();
          const make = () => ({ n: 1, list: [1], deep: { kept: true } });
          const wanted = [make(), make()];
          const running = wanted.map(() => {
            const event: Record<string, unknown> & ReturnType<typeof make> = make();
            const batch: object[] = [event];
            const append = begin(handle.append(id, batch));
            event.n = 2;
            event.list.push(2);
            event.deep.kept = false;
            event["added"] = () => {};
            batch.push({ n: 3 });
            return append;
          });
          check.equal(await Promise.all(running), [1, 2]);
          check.equal(await eventsOf(handle), wanted);
        },
      },
    ],
  },
  {
    id: "P12",
    group: "append",
    level: "L1",
    statement: "Equal events are different events",
    reason: "A user may say the same thing twice",
    cases: [
      {
        name: "append() keeps equal events apart",
        async run({ open, check }) {
          const handle = await open();
          const event = { n: 1 };
          await handle.append(id, [event, event]);
          await handle.append(id, [event]);
          check.equal(await numbersOf(handle), [1, 1, 1]);
        },
      },
    ],
  },
  {
    id: "P13",
    group: "append",
    level: "L1",
    statement:
      "Changes issued without waiting on one handle take effect in the order they were issued",
    reason: "A handler that does not await its save must not reorder the conversation",
    reports: ["reimagined/resolve#1886", "langchain-ai/langgraph#8039"],
    cases: [
      {
        name: "append() calls on one handle land in the order they were issued",
        async run({ open, check }) {
          const handle = await open();
          const heads = await Promise.all(sequence(1, 100).map((n) => handle.append(id, [{ n }])));
          check.equal(heads, sequence(1, 100));
          check.equal(await numbersOf(handle), sequence(1, 100));
        },
      },
      {
        name: "append(), truncate() and delete() on one handle take effect in issue order",
        requires: ["full", "truncate"],
        async run({ open, check }) {
          const handle = await open();
          const heads = await Promise.all([
            handle.append(id, numbered(1, 3)),
            handle.append(id, numbered(4, 4)),
            handle.truncate(id, 1),
            handle.append(id, numbered(5, 6)),
            handle.delete(id),
            handle.append(id, numbered(7, 7)),
            handle.append(id, numbered(8, 9), 1),
            handle.truncate(id, 2, 3),
          ]);
          check.equal(heads, [3, 4, undefined, 3, undefined, 1, 3, undefined]);
          check.equal(await numbersOf(handle), [7, 8]);
        },
      },
      {
        name: "fork() takes its place among the changes of its target",
        requires: ["full", "fork"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append("source", numbered(1, 3));
          await handle.append(id, numbered(1, 1));
          const results = await Promise.all([
            handle.delete(id),
            handle.fork("source", 2, id),
            handle.append(id, numbered(9, 9), 2),
          ]);
          check.equal(results, [undefined, 2, 3]);
          check.equal(await numbersOf(handle), [1, 2, 9]);
        },
      },
      {
        name: "append() calls that are refused leave those around them alone",
        requires: ["full"],
        async run({ open, check }) {
          const handle = await open();
          const results = await Promise.allSettled([
            handle.append(id, numbered(1, 1)),
            handle.append(id, numbered(90, 90), 0),
            handle.append(id, [{ bad: 1n }]),
            handle.append(id, numbered(2, 3), 1),
            handle.append(id, [], 7),
            handle.append(id, []),
            handle.append(id, numbered(4, 4), 3),
          ]);
          const outcomes = results.map((result) =>
            result.status === "fulfilled"
              ? result.value
              : isCheckpointError(result.reason) && result.reason.code,
          );
          const conflict = "CONFLICT";
          check.equal(outcomes, [1, conflict, "EVENT_NOT_SERIALIZABLE", 3, conflict, 3, 4]);
          check.equal(await numbersOf(handle), [1, 2, 3, 4]);
        },
      },
    ],
  },
];
