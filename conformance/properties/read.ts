import * as fc from "fast-check";
import {
  id,
  numbered,
  sequence,
  readAll,
  eventsOf,
  numberOf,
  numbersOf,
  infoOf,
  type Handle,
} from "../session-state.ts";
import { collect } from "../collect.ts";
import { failureOf, type Check } from "../check.ts";
import { assertProperty } from "../assert-property.ts";
import { hardEvents, jsonObject, unusualEvents } from "../json-values.ts";
import { isCheckpointError, type StoredEvent } from "../../src/index.ts";
import { readdirSync } from "node:fs";
import type { Context } from "../context.ts";
import { create } from "../list-helpers.ts";
import { begin } from "../begin.ts";
import type { Case, Properties } from "../property.ts";

/** JSON text tells key order and own `__proto__` keys apart, which deep equality does not. */
function jsonOf(events: readonly object[]): string[] {
  return events.map((event) => JSON.stringify(event));
}

/** Open descriptors of this process, where the system tells. */
function countDescriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

/** Long enough that no adapter reads it in one page. */
const length = 2_100;

/** A line of some length, so that adapters with pages of bytes need several too. */
const padding = "x".repeat(100);

interface Interruption {
  readonly name: string;
  change(handle: Handle): Promise<unknown>;
}

const interruptions: readonly Interruption[] = [
  { name: "is truncated", change: (handle) => handle.truncate(id, 1_200) },
  { name: "is emptied", change: (handle) => handle.truncate(id, 0) },
  { name: "is deleted", change: (handle) => handle.delete(id) },
  {
    name: "is truncated and grows again",
    async change(handle) {
      await handle.truncate(id, 10);
      await handle.append(id, numbered(100_011, 100_600));
    },
  },
  {
    name: "is deleted and born again",
    async change(handle) {
      await handle.delete(id);
      await handle.append(id, numbered(100_001, 100_600));
    },
  },
];

/** Whether a read failed with LOG_CHANGED; any other failure is one of the rule. */
async function isChanged(check: Check, read: Promise<void>): Promise<boolean> {
  try {
    await read;
    return false;
  } catch (error) {
    if (!isCheckpointError(error, "LOG_CHANGED")) throw error;
    check.same(error.retryable, true);
    return true;
  }
}

/** Reads a log that changes after `after` events: all of the old view, or LOG_CHANGED. */
async function readInterrupted(
  { open, check }: Context,
  interruption: Interruption,
  after: number,
  reverse: boolean,
): Promise<void> {
  const [reader, writer] = [await open(), await open()];
  await writer.append(
    id,
    sequence(1, length).map((n) => ({ n, padding })),
  );
  const seen: number[] = [];
  const read = async () => {
    for await (const stored of reader.read(id, { reverse })) {
      seen.push(numberOf(stored));
      if (seen.length === after) await interruption.change(writer);
    }
  };
  const changed = await isChanged(check, read());
  const whole = reverse ? sequence(1, length).toReversed() : sequence(1, length);
  check.equal(seen, changed ? whole.slice(0, seen.length) : whole);
  await writer.delete(id);
}

const interrupted: readonly Case[] = interruptions.map((interruption) => ({
  name: `read() of a log that ${interruption.name} is the old view or LOG_CHANGED`,
  requires: ["full", "truncate"],
  async run(context) {
    for (const reverse of [false, true]) await readInterrupted(context, interruption, 3, reverse);
  },
}));

/** What a read yields, and what it leaves alone. */
export const readProperties: Properties = [
  {
    id: "P25",
    group: "read",
    level: "L1",
    statement: "A read yields every event, in seq order, without gaps",
    reason:
      "Order by text or by time looks right up to event 9, or until two events share a millisecond",
    reports: ["mastra-ai/mastra#7340"],
    cases: [
      {
        name: "read() yields everything in order, across the lengths that text and pages sort by",
        async run({ open, check }) {
          const [writer, reader] = [await open(), await open()];
          let head = 0;
          for (const size of [1, 8, 1, 1, 90, 899, 1, 1, 300]) {
            await writer.append(id, numbered(head + 1, head + size));
            head += size;
          }
          const stored = await readAll(reader);
          check.equal(
            stored.map(({ seq }) => seq),
            sequence(1, head),
          );
          check.equal(stored.map(numberOf), sequence(1, head));
        },
      },
    ],
  },
  {
    id: "P26",
    group: "read",
    level: "L1",
    statement: "sinceSeq is exclusive, for every seq up to beyond the head, and garbage is refused",
    reason: "Off by one here, every resume repeats or loses an event",
    cases: [
      {
        name: "read() starts behind sinceSeq, up to beyond the head",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 5));
          await handle.append(id, numbered(6, 12));
          for (const sinceSeq of sequence(0, 14)) {
            const seqs = (await readAll(handle, id, { sinceSeq })).map(({ seq }) => seq);
            check.equal(seqs, sequence(sinceSeq + 1, 12), `behind ${sinceSeq}`);
          }
          check.equal(await readAll(handle, id, {}), await readAll(handle));
        },
      },
      {
        name: "read() refuses garbage as sinceSeq",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 2));
          for (const sinceSeq of [-1, NaN, 1.5, 2 ** 53, null, "1"]) {
            await check.refuses(handle.read(id, { sinceSeq: sinceSeq as number }), sinceSeq);
          }
        },
      },
    ],
  },
  {
    id: "P27",
    group: "read",
    level: "L1",
    statement: "What is read equals what was appended, as JSON compares",
    reason:
      "Stores have lost U+0000, unpaired surrogates, __proto__, key order, -0 and line breaks",
    reports: ["langchain-ai/langgraph#1878"],
    cases: [
      {
        name: "read() gives back generated events exactly as they were appended",
        async run({ open, check, budget }) {
          const [writer, reader] = [await open(), await open()];
          const batches = fc.array(jsonObject, { minLength: 1, maxLength: 20 });
          const property = fc.asyncProperty(batches, async (batch) => {
            const sinceSeq = (await writer.append(id, batch)) - batch.length;
            const stored = await readAll(reader, id, { sinceSeq });
            check.equal(jsonOf(stored.map(({ event }) => event)), jsonOf(batch));
          });
          await assertProperty(property, budget, 25);
        },
      },
      {
        name: "read() gives back what stores have been known to change",
        async run({ open, check, manifest }) {
          const [writer, reader] = [await open(), await open()];
          const { maxEventBytes } = manifest.limits;
          const hard = hardEvents.filter(
            ([, event]) => Buffer.byteLength(JSON.stringify(event)) <= maxEventBytes,
          );
          await writer.append(
            id,
            hard.map(([, event]) => event),
          );
          const stored = jsonOf(await eventsOf(reader));
          for (const [index, [name, event]] of hard.entries()) {
            // A comparison of its own, since a report of 1 MiB helps nobody.
            check.ok(stored[index] === JSON.stringify(event), `${name} comes back as it was`);
          }
        },
      },
      {
        name: "read() gives back plain data whatever its prototype; undefined is absent and -0 is 0",
        requires: ["full"],
        async run({ open, check }) {
          const handle = await open();
          const events = unusualEvents();
          await handle.append(
            id,
            events.map(([event]) => event),
          );
          const stored = await eventsOf(handle);
          check.equal(
            jsonOf(stored),
            events.map(([, json]) => json),
          );
          check.ok(!("gone" in stored[0]!), "an undefined property is absent");
          check.equal(stored[1], { zero: 0, list: [0] });
        },
      },
      {
        name: "read() keeps event types and fields that it does not know",
        async run({ open, check }) {
          const handle = await open();
          const events = [
            { type: "user", content: "hello", later: { version: 9 } },
            { type: "from the future", seq: 7, ts: "x", sessionId: 1, parentSeq: {}, event: [] },
          ];
          await handle.append(id, events);
          check.equal(await eventsOf(handle), events);
        },
      },
    ],
  },
  {
    id: "P28",
    group: "read",
    level: "L1",
    statement: "What a read or list hands out is the reader's own",
    reason: "A reader that edits its copy must not edit the store",
    cases: [
      {
        name: "read() hands out events that are the reader's own",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          const event = { n: 1, deep: { list: [1] } };
          await handle.append(id, [event, event]);
          for (const stored of await readAll(handle)) {
            const own = stored.event as typeof event;
            own.n = 2;
            own.deep.list.push(2);
            Object.assign(stored, { seq: 9, ts: "never" });
          }
          for (const reader of [handle, other]) {
            const stored = await readAll(reader);
            check.equal(
              stored.map(({ seq }) => seq),
              [1, 2],
            );
            check.equal(
              stored.map((one) => one.event),
              [event, event],
            );
          }
        },
      },
      {
        name: "list() hands out entries that are the caller's own",
        async run({ open, check }) {
          const handle = await open();
          await create(handle, ["a", "b"]);
          // A copy, since what is handed out twice would change with what it is compared to.
          const before = structuredClone(await handle.list());
          for (const info of await handle.list())
            Object.assign(info, { id: "x", mtime: 0, head: 9 });
          (await handle.list()).pop();
          check.equal(await handle.list(), before);
        },
      },
    ],
  },
  {
    id: "P29",
    group: "read",
    level: "L1",
    statement: "A read ends although others keep appending, without gap or duplicate",
    reason: "An agent that appends inside its own read loop would never come to an end",
    cases: [
      {
        name: "read() ends although every event that it yields leads to another append",
        async run({ open, check }) {
          const [reader, writer] = [await open(), await open()];
          for (const handle of [reader, writer]) {
            const sessionId = handle === reader ? "own" : "other";
            await handle.append(sessionId, numbered(1, 4));
            const seen: number[] = [];
            for await (const { seq } of reader.read(sessionId)) {
              seen.push(seq);
              if (seq < 100) await handle.append(sessionId, numbered(seq, seq));
            }
            check.atMost(seen.length, 100 - 1);
            check.equal(seen, sequence(1, seen.length));
          }
        },
      },
    ],
  },
  {
    id: "P30",
    group: "read",
    level: "L1",
    statement: "Everything that is there at the first pull is delivered",
    reason: "A page that is dropped at its edge is a gap nobody sees",
    cases: [
      {
        name: "read() does nothing before the first pull",
        requires: ["full"],
        async run({ open, check }) {
          const handle = await open();
          const invalid = handle.read("", { sinceSeq: -1 });
          const early = handle.read(id);
          await handle.append(id, numbered(1, 2));
          check.same((await collect(early)).length, 2);
          await check.fails(invalid, "INVALID_SESSION_ID");
        },
      },
      {
        name: "read() delivers everything up to the head at its first pull",
        async run({ open, check, manifest }) {
          const [reader, writer] = [await open(), await open()];
          await writer.append(id, numbered(1, 600));
          const iterator = reader.read(id)[Symbol.asyncIterator]();
          const first = await iterator.next();
          await writer.append(id, numbered(601, 700));
          const rest = await collect({ [Symbol.asyncIterator]: () => iterator });
          const seqs = [first.value as StoredEvent<object>, ...rest].map(numberOf);
          check.atLeast(seqs.length, 600);
          check.equal(seqs, sequence(1, seqs.length));
          if (manifest.readIsolation === "snapshot") check.same(seqs.length, 600);
        },
      },
    ],
  },
  {
    id: "P31",
    group: "read",
    level: "L1",
    statement: "Leaving a read early releases everything",
    reason: "Each abandoned cursor pins a connection or the WAL until the process ends",
    cases: [
      {
        name: "read() releases everything when 1,000 loops are left early",
        requires: ["range", "truncate"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 10));
          const leave = async (how: number) => {
            try {
              for await (const stored of handle.read(id, { reverse: how % 4 === 3 })) {
                if (how % 4 === 0 || stored.seq === 5) break;
                if (how % 4 === 1) throw new Error("enough");
              }
            } catch (error) {
              check.matches(error, { message: "enough" });
            }
          };
          await leave(0);
          const before = countDescriptors();
          for (const how of sequence(1, 1_000)) await leave(how);
          check.atMost(countDescriptors(), before + 20 - 1);
          check.same(await handle.append(id, numbered(11, 11)), 11);
          await handle.truncate(id, 3);
          check.equal(await numbersOf(handle), [1, 2, 3]);
          await handle.delete(id);
          check.equal(await handle.list(), []);
        },
      },
    ],
  },
  {
    id: "P32",
    group: "read",
    level: "L1",
    statement: "Any call on the same handle may run inside a read loop",
    reason:
      "A connection that is busy while it iterates deadlocks the agent that appends what it reads",
    reports: [
      "WiseLibs/better-sqlite3#203",
      "WiseLibs/better-sqlite3#336",
      "WiseLibs/better-sqlite3#836",
    ],
    cases: [
      {
        name: "read() lets every other call run inside its loop",
        requires: ["truncate"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 5));
          const seen: number[] = [];
          for await (const stored of handle.read(id)) {
            seen.push(numberOf(stored));
            await handle.append("other", numbered(1, 1));
            await handle.append(id, [{ n: 5 + stored.seq }]);
            check.atLeast(await handle.head(id), 5 + 1);
            check.same((await handle.list()).length, 2);
            check.equal((await numbersOf(handle)).slice(0, 5), [1, 2, 3, 4, 5]);
            await handle.truncate("other", 0);
            await handle.delete("other");
            if (stored.seq === 5) break;
          }
          check.equal(seen, [1, 2, 3, 4, 5]);
          check.equal(await numbersOf(handle), sequence(1, 10));
        },
      },
      {
        name: "read() inside whose loop the same handle truncates neither hangs nor mixes",
        requires: ["full", "truncate"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 5));
          const read = async () => {
            for await (const { seq } of handle.read(id))
              if (seq === 2) await handle.truncate(id, 1);
          };
          await isChanged(check, read());
          check.equal(await numbersOf(handle), [1]);
        },
      },
    ],
  },
  {
    id: "P33",
    group: "read",
    level: "L1",
    statement: "Reads of one handle know nothing of each other",
    reason: "A shared cursor mixes two conversations",
    cases: [
      {
        name: "read() iterators of one handle know nothing of each other",
        requires: ["range"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 40));
          await handle.append("other", numbered(101, 140));
          const reads = [handle.read(id), handle.read(id, { reverse: true }), handle.read("other")];
          const iterators = reads.map((read) => read[Symbol.asyncIterator]());
          const seen: number[][] = reads.map(() => []);
          for (const _ of sequence(1, 40)) {
            for (const [index, iterator] of iterators.entries()) {
              seen[index]!.push(numberOf((await iterator.next()).value as StoredEvent<object>));
            }
          }
          for (const iterator of iterators) check.same((await iterator.next()).done, true);
          check.equal(seen, [sequence(1, 40), sequence(1, 40).toReversed(), sequence(101, 140)]);
        },
      },
      {
        name: "read() runs many times at once",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 30));
          const reads = await Promise.all(sequence(1, 50).map(() => numbersOf(handle)));
          for (const numbers of reads) check.equal(numbers, sequence(1, 30));
        },
      },
    ],
  },
  {
    id: "P34",
    group: "read",
    level: "L2",
    statement:
      "A read under a truncate or delete is the old view or LOG_CHANGED, never a mix of two histories",
    reason: "Half of an old life and half of a new one is a conversation that never happened",
    cases: [
      ...interrupted,
      {
        name: "read() that is nearly through when its log is truncated is the old view or LOG_CHANGED",
        requires: ["full", "truncate"],
        run: (context) => readInterrupted(context, interruptions[0]!, length - 30, false),
      },
      {
        name: "read() that has not been pulled yet sees the log as it is at its first pull",
        requires: ["full", "truncate", "range"],
        async run({ open, check }) {
          const [reader, writer] = [await open(), await open()];
          await writer.append(id, numbered(1, 3));
          const reads = [reader.read(id), reader.read(id, { reverse: true })];
          await writer.truncate(id, 1);
          await writer.append(id, numbered(9, 9));
          check.equal((await collect(reads[0]!)).map(numberOf), [1, 9]);
          check.equal((await collect(reads[1]!)).map(numberOf), [9, 1]);
        },
      },
    ],
  },
  {
    id: "P35",
    group: "read",
    level: "L1",
    requires: ["full"],
    statement:
      "An aborted read or append ends with the signal's reason; an append is all or nothing",
    reason: "Users press stop, and what they stopped must not be half saved",
    reports: ["openai/openai-agents-python#1658"],
    cases: [
      {
        name: "read() rejects with the signal's reason and leaves the handle usable",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 10));
          const reason = new Error("seen enough");
          const aborted = { signal: AbortSignal.abort(reason) };
          check.same(await failureOf(handle.read(id, aborted)), reason);
          check.same(await failureOf(handle.read("unknown", aborted)), reason);
          for (const reverse of [false, true]) {
            const aborter = new AbortController();
            const seen: number[] = [];
            const reading = (async () => {
              for await (const { seq } of handle.read(id, { signal: aborter.signal, reverse })) {
                seen.push(seq);
                if (seen.length === 3) aborter.abort(reason);
              }
            })();
            check.same(await failureOf(reading), reason);
            check.equal(seen, reverse ? [10, 9, 8] : [1, 2, 3]);
          }
          check.same((await readAll(handle)).length, 10);
          check.same(await handle.append(id, numbered(11, 11)), 11);
        },
      },
      {
        name: "append() with an aborted signal stores nothing",
        async run({ open, check }) {
          const handle = await open();
          const reason = new Error("changed my mind");
          const signal = AbortSignal.abort(reason);
          check.same(await failureOf(handle.append(id, numbered(1, 1), { signal })), reason);
          check.equal(await handle.list(), []);
        },
      },
      {
        name: "append() that is aborted while it waits stores nothing and holds up nobody",
        async run({ open, check }) {
          const handle = await open();
          const aborter = new AbortController();
          const reason = new Error("changed my mind");
          const running = begin(handle.append(id, numbered(1, 1)));
          const waiting = begin(handle.append(id, numbered(2, 3), { signal: aborter.signal }));
          const behind = begin(handle.append(id, numbered(4, 4)));
          aborter.abort(reason);
          check.same(await failureOf(waiting), reason);
          check.equal(await Promise.all([running, behind]), [1, 2]);
          check.equal(await numbersOf(handle), [1, 4]);
        },
      },
      {
        name: "append() that has started completes in spite of an abort",
        async run({ open, check }) {
          const handle = await open();
          const aborter = new AbortController();
          const running = handle.append(id, numbered(1, 2), { signal: aborter.signal });
          aborter.abort();
          check.same(await running, 2);
          check.same((await infoOf(handle)).head, 2);
        },
      },
    ],
  },
];
