import {
  id,
  numbered,
  sequence,
  readAll,
  numbersOf,
  listedIds,
  infoOf,
  turn,
} from "../session-state.ts";
import { failureOf } from "../check.ts";
import { isCheckpointError } from "../../src/index.ts";
import { begin } from "../begin.ts";
import type { Properties } from "../property.ts";

/** What a read gives; null when the log changed under it. */
async function unlessChanged<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (!isCheckpointError(error, "LOG_CHANGED")) throw error;
    return null;
  }
}

/** What `truncate` keeps. */
export const truncateProperties: Properties = [
  {
    id: "P46",
    group: "truncate",
    level: "L1",
    requires: ["truncate"],
    statement: "truncate(n) keeps exactly seq 1 to n",
    reason: "Rewinding to a prompt keeps that prompt, and nothing after it",
    cases: [
      {
        name: "truncate() keeps exactly seq 1 to toSeq, wherever batches end",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          for (const [from, to] of [
            [1, 1],
            [2, 6],
            [7, 8],
            [9, 12],
          ] as const) {
            await handle.append(id, numbered(from, to));
          }
          const stored = await readAll(handle);
          for (const toSeq of [11, 8, 7, 4, 1, 0]) {
            await handle.truncate(id, toSeq);
            for (const reader of [handle, other]) {
              check.same(await reader.head(id), toSeq);
              check.equal(await readAll(reader), stored.slice(0, toSeq));
            }
          }
        },
      },
      {
        name: "truncate() of a log of many pages keeps what stays readable and appendable",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1_500));
          await handle.append(id, numbered(1_501, 2_100));
          await handle.truncate(id, 1_800);
          check.same(await (await open()).append(id, numbered(1_801, 1_801)), 1_801);
          await handle.truncate(id, 700);
          check.same(await handle.append(id, numbered(701, 702)), 702);
          check.equal(await numbersOf(handle), sequence(1, 702));
        },
      },
    ],
  },
  {
    id: "P47",
    group: "truncate",
    level: "L1",
    requires: ["truncate"],
    statement:
      "Truncating at or beyond the head, or an unknown session, does nothing and creates nothing",
    reason: "A rewind to where one is must not look like a change",
    cases: [
      {
        name: "truncate() at or beyond the head changes nothing",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          await handle.append("later", numbered(1, 1));
          await check.changesNothing(handle, async () => {
            for (const toSeq of [3, 4, 100, 2 ** 53 - 1]) {
              await handle.truncate(id, toSeq);
              await (await open()).truncate(id, toSeq);
            }
          });
          await handle.truncate("later", 0);
          await check.changesNothing(handle, () => handle.truncate("later", 0));
        },
      },
      {
        name: "truncate() at or beyond the head, as expected, keeps everything and its keys",
        requires: ["full", "idempotency"],
        async run({ open, check }) {
          const handle = await open();
          const key = { idempotencyKey: "key" };
          await handle.append(id, numbered(1, 3), key);
          await check.changesNothing(handle, async () => {
            for (const toSeq of [3, 4, 100]) await handle.truncate(id, toSeq, 3);
            check.same(await handle.append(id, numbered(1, 3), key), 3);
          });
        },
      },
      {
        name: "truncate() of an unknown session creates nothing",
        async run({ open, check }) {
          const handle = await open();
          await handle.truncate(id, 0);
          await handle.truncate(id, 5);
          check.equal(await handle.list(), []);
          check.same(await handle.head(id), 0);
          await handle.append(id, numbered(1, 1));
          await handle.delete(id);
          await handle.truncate(id, 0);
          check.equal(await handle.list(), []);
        },
      },
      {
        name: "truncate() of an unknown session that expects something creates nothing",
        requires: ["full", "headToken"],
        async run({ open, check }) {
          const handle = await open();
          const absent = await handle.headToken(id);
          await handle.truncate(id, 0, 0);
          await handle.truncate(id, 5, absent);
          await check.fails(handle.truncate(id, 0, 1), "CONFLICT");
          check.equal(await handle.list(), []);
          check.same(await handle.headToken(id), absent);
        },
      },
    ],
  },
  {
    id: "P48",
    group: "truncate",
    level: "L1",
    requires: ["truncate"],
    statement: "A session truncated to 0 is empty and still listed",
    reason: "The session is still the user's; only its content is gone",
    cases: [
      {
        name: "truncate() to 0 leaves an empty session that is listed",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 3));
          await handle.append("later", numbered(1, 1));
          await handle.truncate(id, 0);
          for (const reader of [handle, other]) {
            check.same(await reader.head(id), 0);
            check.equal(await readAll(reader), []);
            check.equal(await listedIds(reader), [id, "later"]);
            check.same((await infoOf(reader)).head, 0);
          }
          check.same(await handle.append(id, []), 0);
          check.same(await other.append(id, numbered(4, 5), 0), 2);
        },
      },
    ],
  },
  {
    id: "P49",
    group: "truncate",
    level: "L1",
    requires: ["truncate", "full"],
    statement: "truncate() with an expected head conflicts like append()",
    reason: "A rewind that was decided on an old view drops what others have written since",
    cases: [
      {
        name: "truncate() with the actual head cuts, with another one conflicts and changes nothing",
        requires: ["headToken"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 5));
          const stale = await handle.headToken(id);
          await handle.truncate(id, 4, stale);
          await handle.truncate(id, 3, 4);
          await check.changesNothing(handle, async () => {
            for (const expected of [0, 2, 4, 5]) {
              for (const toSeq of [0, 2, 3, 9]) {
                const error = await failureOf(handle.truncate(id, toSeq, expected));
                check.matches(error, { code: "CONFLICT", sessionId: id, expected, actual: 3 });
              }
            }
            await check.fails(handle.truncate(id, 0, stale), "CONFLICT");
            await check.fails(handle.truncate(id, 9, stale), "CONFLICT");
          });
          await handle.truncate(id, 0, await handle.headToken(id));
          check.same(await handle.head(id), 0);
        },
      },
    ],
  },
  {
    id: "P50",
    group: "truncate",
    level: "L1",
    requires: ["truncate"],
    statement: "After truncate(n) the next event is n+1, and no removed one ever reappears",
    reason: "A ghost of a removed answer in the next prompt is the worst kind of leak",
    cases: [
      {
        name: "truncate() lets the next append continue at toSeq + 1, without ghosts",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 8));
          await other.append(id, numbered(9, 9));
          await handle.truncate(id, 5);
          check.same(await other.append(id, numbered(60, 61)), 7);
          await other.truncate(id, 6);
          check.same(await handle.append(id, numbered(70, 70)), 7);
          await handle.truncate(id, 0);
          check.same(await other.append(id, numbered(80, 80)), 1);
          check.same(await handle.append(id, numbered(81, 81)), 2);
          for (const reader of [handle, other, await open()]) {
            check.equal(await numbersOf(reader), [80, 81]);
          }
        },
      },
    ],
  },
  {
    id: "P51",
    group: "truncate",
    level: "L1",
    requires: ["truncate"],
    statement: "Garbage as toSeq is refused and cuts nothing",
    reason: "NaN and -1 have wiped logs",
    cases: [
      {
        name: "truncate() refuses garbage as toSeq and cuts nothing",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          await check.changesNothing(handle, async () => {
            for (const value of [
              -1,
              NaN,
              1.5,
              Infinity,
              2 ** 53,
              null,
              undefined,
              "1",
              [],
              {},
              1n,
            ]) {
              await check.refuses(handle.truncate(id, value as number), value);
              await check.refuses(handle.truncate("unknown", value as number), value);
            }
          });
        },
      },
    ],
  },
  {
    id: "P52",
    group: "truncate",
    level: "L2",
    requires: ["truncate"],
    statement: "Readers see the log before or after a truncate, nothing in between",
    reason:
      "A log that is rewritten in place is empty for a moment, and a reader finds no conversation",
    reports: ["unjs/unstorage#797"],
    cases: [
      {
        name: "truncate() shows readers the old or the new log while it runs",
        async run({ open, check }) {
          const [handle, reader] = [await open(), await open()];
          await handle.append(id, numbered(1, 40));
          for (const toSeq of sequence(20, 39).toReversed()) {
            let running = true;
            const truncate = begin(
              handle.truncate(id, toSeq).finally(() => void (running = false)),
            );
            while (running) {
              const seen = await unlessChanged(numbersOf(reader));
              if (seen !== null) {
                check.includes([toSeq, toSeq + 1], seen.length);
                check.equal(seen, sequence(1, seen.length));
              }
              await turn();
            }
            await truncate;
          }
        },
      },
      {
        name: "append() and truncate() that race end in one of the two legal orders",
        async run({ open, check }) {
          const [first, second] = [await open(), await open()];
          for (const round of sequence(1, 10)) {
            const sessionId = `session-${round}`;
            await first.append(sessionId, numbered(1, 4));
            const [head] = await Promise.all([
              first.append(sessionId, numbered(5, 6)),
              second.truncate(sessionId, 2),
            ]);
            const legal = [`6 [1,2]`, `4 [1,2,5,6]`];
            check.includes(legal, `${head} ${JSON.stringify(await numbersOf(first, sessionId))}`);
          }
        },
      },
    ],
  },
];
