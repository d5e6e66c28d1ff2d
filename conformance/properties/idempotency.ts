import { id, numbered, sequence, numbersOf } from "../session-state.ts";
import { failureOf } from "../check.ts";
import type { Properties } from "../property.ts";

const key = { idempotencyKey: "call-1" };

/** What an idempotency key promises. */
export const idempotencyProperties: Properties = [
  {
    id: "K1",
    group: "idempotency",
    level: "L1",
    requires: ["idempotency"],
    statement: "An append with a known key stores nothing and returns the first result",
    reason: "A client that lost the answer has to be able to ask again",
    reports: [
      "nicdex/node-eventstore-client#85",
      "kurrent-io/KurrentDB#1970",
      "openai/openai-agents-python#1699",
    ],
    cases: [
      {
        name: "append() with a known key stores nothing and returns the first result",
        async run({ open, check }) {
          const handle = await open();
          check.same(await handle.append(id, numbered(1, 2), key), 2);
          await handle.append("later", numbered(1, 1));
          await check.changesNothing(handle, async () => {
            check.same(await handle.append(id, numbered(1, 2), key), 2);
            check.same(await (await open()).append(id, numbered(1, 2), key), 2);
          });
        },
      },
    ],
  },
  {
    id: "K2",
    group: "idempotency",
    level: "L1",
    requires: ["idempotency"],
    statement:
      "It does so whatever was appended since, and with an expectation that has become stale",
    reason: "The retry comes late; that is why it is a retry",
    reports: ["kurrent-io/KurrentDB#1898", "kurrent-io/KurrentDB#2274"],
    cases: [
      {
        name: "append() with a known key returns the first result whatever happened since",
        requires: ["headToken"],
        async run({ open, check }) {
          const handle = await open();
          const options = { ...key, expectedHead: 1 };
          const token = { ...key, expectedHead: await handle.headToken(id) };
          await handle.append(id, numbered(1, 1));
          check.same(await handle.append(id, numbered(2, 3), options), 3);
          await (await open()).append(id, numbered(4, 9));
          for (const again of [key, options, token, { ...key, expectedHead: 7 }]) {
            check.same(await handle.append(id, numbered(2, 3), again), 3);
          }
          check.equal(await numbersOf(handle), sequence(1, 9));
        },
      },
    ],
  },
  {
    id: "K3",
    group: "idempotency",
    level: "L1",
    requires: ["idempotency"],
    statement: "A known key with other events is refused as IDEMPOTENCY_MISMATCH",
    reason: "A key that is reused by mistake would swallow new events silently",
    cases: [
      {
        name: "append() with a known key and other events is refused",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 2), key);
          const others = [numbered(1, 1), numbered(1, 3), numbered(2, 3), [{ n: 1 }, { m: 2 }], []];
          await check.changesNothing(handle, async () => {
            for (const events of others) {
              await check.fails(handle.append(id, events, key), "IDEMPOTENCY_MISMATCH");
              const stale = { ...key, expectedHead: 0 };
              await check.fails(handle.append(id, events, stale), "IDEMPOTENCY_MISMATCH");
            }
          });
        },
      },
      {
        name: "append([]) with a known key is refused, alone and among other appends",
        async run({ open, check }) {
          const handle = await open();
          const results = await Promise.allSettled([
            handle.append(id, numbered(1, 1), key),
            handle.append(id, [], key),
            handle.append(id, numbered(2, 2)),
          ]);
          const mismatch = { reason: { code: "IDEMPOTENCY_MISMATCH" } };
          check.matches(results, [{ value: 1 }, mismatch, { value: 2 }]);
          await check.fails(handle.append(id, [], key), "IDEMPOTENCY_MISMATCH");
        },
      },
      {
        name: "append() refuses garbage as a key and takes any other string of 1 to 256 bytes",
        async run({ open, check }) {
          const handle = await open();
          const garbage = ["", "\0", "a\0", "\ud800", "k".repeat(257), "\u20ac".repeat(86)];
          for (const value of [...garbage, null, 1, {}, ["k"], Symbol("k")]) {
            const options = { idempotencyKey: value as string };
            await check.refuses(handle.append(id, numbered(1, 1), options), value);
          }
          check.equal(await handle.list(), []);
          const keys = ["k", "K", " ", "k ", "%", "'", "\n", "\u20ac".repeat(85), "k".repeat(256)];
          for (const [index, idempotencyKey] of keys.entries()) {
            check.same(await handle.append(id, [{ n: index }], { idempotencyKey }), index + 1);
          }
          for (const [index, idempotencyKey] of keys.entries()) {
            check.same(await handle.append(id, [{ n: index }], { idempotencyKey }), index + 1);
          }
          check.same(await handle.head(id), keys.length);
        },
      },
    ],
  },
  {
    id: "K4",
    group: "idempotency",
    level: "L1",
    requires: ["idempotency"],
    statement: "A key belongs to its session",
    reason: "Two conversations may number their turns alike",
    cases: [
      {
        name: "append() scopes a key to its session",
        async run({ open, check }) {
          const handle = await open();
          check.same(await handle.append("a", numbered(1, 2), key), 2);
          check.same(await handle.append("b", numbered(7, 7), key), 1);
          check.equal(await numbersOf(handle, "b"), [7]);
        },
      },
    ],
  },
  {
    id: "K5",
    group: "idempotency",
    level: "L1",
    requires: ["idempotency"],
    statement: "A refused append burns no key",
    reason: "The corrected retry carries the same key",
    cases: [
      {
        name: "append() that is refused burns no key",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          await check.fails(
            handle.append(id, numbered(2, 2), { ...key, expectedHead: 0 }),
            "CONFLICT",
          );
          await check.fails(handle.append(id, [{ bad: NaN }], key), "EVENT_NOT_SERIALIZABLE");
          const aborted = { ...key, signal: AbortSignal.abort() };
          await failureOf(handle.append(id, numbered(2, 2), aborted));
          check.same(await handle.append(id, numbered(3, 3), key), 2);
          check.equal(await numbersOf(handle), [1, 3]);
        },
      },
      {
        name: "append([]) with a new key stores nothing and burns no key",
        async run({ open, check }) {
          const handle = await open();
          check.same(await handle.append(id, [], key), 0);
          check.equal(await handle.list(), []);
          check.same(await handle.append(id, numbered(1, 1), key), 1);
        },
      },
    ],
  },
  {
    id: "K6",
    group: "idempotency",
    level: "L1",
    requires: ["idempotency"],
    statement:
      "Keys survive a reopen, are forgotten with delete(), and go with the events that truncate() cuts",
    reason: "A key without its events answers for something that is not there",
    cases: [
      {
        name: "append() remembers a key in another handle and after a reopen",
        async run({ open, reopen, check }) {
          const first = await open();
          await first.append(id, numbered(1, 2), key);
          await first.append(id, numbered(3, 3));
          const second = await reopen();
          check.same(await second.append(id, numbered(1, 2), key), 2);
          check.same(await second.head(id), 3);
        },
      },
      {
        name: "delete() forgets the keys of its session",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 2), key);
          await other.delete(id);
          check.same(await handle.append(id, numbered(5, 5), key), 1);
          check.equal(await numbersOf(handle), [5]);
        },
      },
      {
        name: "truncate() keeps the keys of what stays and forgets those it cuts off or into",
        requires: ["truncate"],
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          const keyed = (name: string) => ({ idempotencyKey: name });
          await handle.append(id, numbered(1, 2), keyed("kept"));
          await handle.append(id, numbered(3, 5), keyed("cut into"));
          await handle.append(id, numbered(6, 6), keyed("cut off"));
          await other.truncate(id, 4);
          check.same(await handle.append(id, numbered(1, 2), keyed("kept")), 2);
          check.same(await handle.append(id, numbered(7, 7), keyed("cut off")), 5);
          check.same(await handle.append(id, numbered(8, 9), keyed("cut into")), 7);
          check.same(await other.append(id, numbered(8, 9), keyed("cut into")), 7);
          check.equal(await numbersOf(handle), [1, 2, 3, 4, 7, 8, 9]);
        },
      },
      {
        name: "truncate() at the end of a batch keeps its key",
        requires: ["truncate"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3), key);
          await handle.append(id, numbered(4, 5));
          await handle.truncate(id, 3);
          check.same(await handle.append(id, numbered(1, 3), key), 3);
          check.equal(await numbersOf(handle), [1, 2, 3]);
        },
      },
      {
        name: "fork() copies no keys",
        requires: ["fork"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append("source", numbered(1, 2), key);
          await handle.fork("source", 2, id);
          check.same(await handle.append(id, numbered(9, 9), key), 3);
        },
      },
    ],
  },
  {
    id: "K7",
    group: "idempotency",
    level: "L2",
    requires: ["idempotency"],
    statement: "However many appends with one key run at once, one is stored",
    reason: "Retries overlap with what they retry",
    reports: ["nicdex/node-eventstore-client#85"],
    cases: [
      {
        name: "append() stores once however many calls with one key run at once",
        async run({ openMany, check }) {
          const handles = await openMany(4);
          await handles[0]!.append(id, numbered(1, 1));
          const calls = sequence(0, 15).map((index) =>
            handles[index % 4]!.append(id, numbered(2, 4), key),
          );
          check.equal(
            await Promise.all(calls),
            calls.map(() => 4),
          );
          check.equal(await numbersOf(handles[0]!), [1, 2, 3, 4]);
        },
      },
      {
        name: "append() lets one of many racers with one key and different events win",
        async run({ openMany, check }) {
          const handles = await openMany(4);
          const calls = handles.map((handle, n) => handle.append(id, [{ n }], key));
          const results = await Promise.allSettled(calls);
          const won = results.findIndex(({ status }) => status === "fulfilled");
          for (const [index, result] of results.entries()) {
            const wanted =
              index === won ? { value: 1 } : { reason: { code: "IDEMPOTENCY_MISMATCH" } };
            check.matches(result, wanted);
          }
          check.equal(await numbersOf(handles[0]!), [won]);
        },
      },
    ],
  },
];
