import {
  id,
  numbered,
  sequence,
  numberOf,
  numbersOf,
  turn,
  type Handle,
} from "../session-state.ts";
import { failureOf } from "../check.ts";
import type { StoredEvent, TailOptions } from "../../src/index.ts";
import { begin } from "../begin.ts";
import type { Properties } from "../property.ts";

/** The next `count` events of a follower. */
async function take(follower: AsyncIterator<StoredEvent<object>>, count: number) {
  const numbers: number[] = [];
  for (const _ of sequence(1, count)) {
    const { value, done } = await follower.next();
    if (done === true) throw new Error("the follower ended");
    numbers.push(numberOf(value));
  }
  return numbers;
}

/** Follows a session, from within `work`, and stops. */
async function following(
  handle: Handle,
  options: TailOptions,
  work: (follower: AsyncIterator<StoredEvent<object>>) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const follower = handle.tail(id, { signal: stop.signal, ...options })[Symbol.asyncIterator]();
  try {
    await work(follower);
  } finally {
    // Where the work has failed somebody may still wait for an event, and an iterator ends after that.
    stop.abort();
    void begin(Promise.resolve(follower.return?.()));
  }
}

/** What a follower gets. */
export const tailProperties: Properties = [
  {
    id: "F1",
    group: "tail",
    level: "L1",
    requires: ["full"],
    statement: "tail() catches up and then follows, without gap or duplicate at the seam",
    reason:
      "An event that lands between the last page and the subscription is the one that is lost",
    cases: [
      {
        name: "tail() catches up and then delivers what lands, from every handle",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 300));
          await following(handle, {}, async (follower) => {
            check.equal(await take(follower, 300), sequence(1, 300));
            const waiting = begin(take(follower, 3));
            await handle.append(id, numbered(301, 302));
            await other.append(id, numbered(303, 304));
            check.equal(await waiting, [301, 302, 303]);
            check.equal(await take(follower, 1), [304]);
          });
        },
      },
      {
        name: "tail() delivers events with their places",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 2));
          await following(handle, { sinceSeq: 1 }, async (follower) => {
            const { value } = await follower.next();
            check.matches(value, { seq: 2, sessionId: id, parentSeq: 1, event: { n: 2 } });
          });
        },
      },
      {
        name: "tail() starts behind sinceSeq, also where nothing is yet",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          for (const sinceSeq of [0, 2]) {
            await following(handle, { sinceSeq }, async (follower) => {
              check.equal(await take(follower, 1), [sinceSeq + 1]);
            });
          }
          await following(handle, { sinceSeq: 5 }, async (follower) => {
            const waiting = begin(take(follower, 2));
            await handle.append(id, numbered(4, 5));
            await handle.append(id, numbered(6, 7));
            check.equal(await waiting, [6, 7]);
          });
        },
      },
      {
        name: "tail() has no gap and no duplicate at the seam while others append",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 5));
          // Goes on until they have seen enough, so that a missed event is a wrong number and no hang.
          let wanted = true;
          const write = async () => {
            for (let n = 6; wanted; n += 1) {
              await (n % 2 === 0 ? handle : other).append(id, [{ n }]);
              await turn();
            }
          };
          const followers = [handle, handle, other].map((follower) =>
            following(follower, {}, async (iterator) => {
              check.equal(await take(iterator, 45), sequence(1, 45));
            }),
          );
          const reading = begin(Promise.all(followers).finally(() => void (wanted = false)));
          await Promise.all([write(), reading]);
        },
      },
    ],
  },
  {
    id: "F2",
    group: "tail",
    level: "L1",
    requires: ["full"],
    statement: "tail() misses nothing between its look at the log and its wait",
    reason: "A lost wake-up shows as an agent that hangs until somebody types",
    cases: [
      {
        name: "tail() misses no append between its look at the log and its wait",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          await following(handle, {}, async (follower) => {
            for (const n of sequence(1, 30)) {
              const next = begin(take(follower, 1));
              // Lets the follower get a little further each time before the next event lands.
              for (const _ of sequence(1, n)) await Promise.resolve();
              await handle.append(id, numbered(n + 1, n + 1));
              check.equal(await next, [n]);
            }
          });
        },
      },
      {
        name: "tail() waits for a session that does not exist yet",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await following(handle, {}, async (follower) => {
            const waiting = begin(take(follower, 2));
            await other.append("another", numbered(7, 9));
            await other.append(id, numbered(1, 2));
            check.equal(await waiting, [1, 2]);
          });
        },
      },
    ],
  },
  {
    id: "F3",
    group: "tail",
    level: "L1",
    requires: ["full"],
    statement: "An aborted tail() ends at once with the signal's reason",
    reason: "A server that cannot end its followers cannot stop",
    cases: [
      {
        name: "tail() ends with the signal's reason, whether it waits or delivers",
        async run({ open, check }) {
          const handle = await open();
          const reason = new Error("enough");
          const aborted = { signal: AbortSignal.abort(reason) };
          check.same(await failureOf(handle.tail(id, aborted)), reason);
          await handle.append(id, numbered(1, 3));
          const early = new AbortController();
          const seen: number[] = [];
          const delivering = (async () => {
            for await (const stored of handle.tail(id, { signal: early.signal })) {
              seen.push(stored.seq);
              if (stored.seq === 2) early.abort(reason);
            }
          })();
          check.same(await failureOf(delivering), reason);
          check.equal(seen, [1, 2]);
          const late = new AbortController();
          await following(handle, { sinceSeq: 2, signal: late.signal }, async (follower) => {
            check.equal(await take(follower, 1), [3]);
            const waiting = begin(failureOf(follower.next()));
            late.abort(reason);
            check.same(await waiting, reason);
          });
          check.same(await handle.append(id, numbered(4, 4)), 4);
        },
      },
    ],
  },
  {
    id: "F5",
    group: "tail",
    level: "L1",
    requires: ["full", "truncate"],
    statement: "A truncate or delete under a follower is LOG_CHANGED",
    reason: "A follower that goes on by number shows events of another history",
    cases: [
      {
        name: "tail() fails with LOG_CHANGED when the log is truncated or deleted",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          const changes = [
            (writer: Handle) => writer.truncate(id, 1),
            (writer: Handle) => writer.truncate(id, 0),
            (writer: Handle) => writer.delete(id),
            async (writer: Handle) => {
              await writer.delete(id);
              await writer.append(id, numbered(1, 5));
            },
          ];
          for (const [index, change] of changes.entries()) {
            const writer = index === 0 ? other : handle;
            await writer.append(id, numbered(1, 3));
            await following(handle, {}, async (follower) => {
              check.equal(await take(follower, 3), [1, 2, 3]);
              const changed = begin(check.fails(follower.next(), "LOG_CHANGED"));
              await change(writer);
              await changed;
            });
            await handle.delete(id);
          }
        },
      },
      {
        name: "tail() of an emptied session delivers what comes next",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          await handle.truncate(id, 0);
          await following(handle, {}, async (follower) => {
            const waiting = begin(take(follower, 1));
            await handle.append(id, numbered(9, 9));
            check.equal(await waiting, [9]);
          });
        },
      },
    ],
  },
  {
    id: "F6",
    group: "tail",
    level: "L1",
    requires: ["full"],
    statement: "A follower changes nothing and holds up nobody",
    reason: "An idle window is not a writer",
    cases: [
      {
        name: "tail() changes nothing and lets every other call run inside its loop",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          for await (const { seq } of handle.tail(id)) {
            if (seq === 5) break;
            await handle.append(id, [{ n: seq + 1 }]);
            check.same(await handle.head(id), seq + 1);
          }
          check.equal(await numbersOf(handle), [1, 2, 3, 4, 5]);
        },
      },
      {
        name: "tail() refuses garbage in its options",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          for (const sinceSeq of [-1, NaN, 1.5, 2 ** 53, null, "1"]) {
            await check.refuses(handle.tail(id, { sinceSeq: sinceSeq as number }), sinceSeq);
          }
          for (const signal of [null, 1, {}]) {
            await check.refuses(handle.tail(id, { signal: signal as AbortSignal }), signal);
          }
          for (const options of [null, 1, "x", []]) {
            await check.refuses(handle.tail(id, options as TailOptions), options);
          }
        },
      },
    ],
  },
];
