import { create, inOneMillisecond } from "../list-helpers.ts";
import {
  id,
  numbered,
  sequence,
  readAll,
  listedIds,
  infoOf,
  type Handle,
} from "../session-state.ts";
import { failureOf } from "../check.ts";
import type { Properties } from "../property.ts";

/** Which sessions `list` shows, and in which order. */
export const listProperties: Properties = [
  {
    id: "P37",
    group: "list",
    level: "L1",
    statement:
      "list() shows exactly the sessions with a successful non-empty append and no later delete",
    reason: "Ghosts and missing sessions are what users see first",
    cases: [
      {
        name: "list() shows exactly the sessions that were appended to and not deleted since",
        requires: ["truncate", "full", "fork"],
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          check.equal(await handle.list(), []);
          await create(handle, ["a", "b", "c"]);
          await handle.append("never", []);
          await failureOf(handle.append("never", numbered(1, 1), 1));
          await failureOf(handle.append("never", [{ bad: 1n }]));
          await handle.truncate("never", 0);
          await handle.delete("never");
          await other.delete("b");
          await handle.truncate("c", 0);
          await handle.fork("a", 1, "d");
          for (const reader of [handle, other]) {
            check.equal(await listedIds(reader), ["d", "c", "a"]);
            const heads = (await reader.list()).map(({ head }) => head);
            check.equal(heads, [1, 0, 1]);
          }
          await other.append("b", numbered(1, 2));
          check.equal(await listedIds(handle), ["b", "d", "c", "a"]);
        },
      },
    ],
  },
  {
    id: "P38",
    group: "list",
    level: "L1",
    statement: "The most recent change comes first, also inside one millisecond",
    reason: '"Continue where I was" takes the first entry',
    reports: ["mastra-ai/mastra#7340", "mastra-ai/mastra#7748"],
    cases: [
      {
        name: "list() puts the session first that was appended to last, whichever handle did it",
        async run({ open, check }) {
          const [first, second] = [await open(), await open()];
          await create(first, ["a", "b", "c"]);
          await second.append("b", numbered(2, 2));
          for (const handle of [first, second]) {
            check.equal(await listedIds(handle), ["b", "c", "a"]);
          }
        },
      },
      {
        name: "list() puts the most recent change first, whichever handle made it",
        requires: ["truncate"],
        async run({ open, check }) {
          const handles = [await open(), await open()];
          const [first, second] = handles as [Handle, Handle];
          await create(first, ["a", "b", "c", "d"]);
          await second.append("b", numbered(2, 2));
          check.equal(await listedIds(first), ["b", "d", "c", "a"]);
          await first.truncate("a", 0);
          check.equal(await listedIds(second), ["a", "b", "d", "c"]);
          await second.delete("c");
          await first.append("c", numbered(1, 1));
          await second.append("d", numbered(2, 2));
          for (const handle of handles) check.equal(await listedIds(handle), ["d", "c", "a", "b"]);
        },
      },
      {
        name: "list() keeps the order of changes inside one millisecond",
        run: ({ open, check }) =>
          inOneMillisecond(async () => {
            const handle = await open();
            const ids = sequence(0, 29).map((n) => `session-${(n * 7) % 30}`);
            check.equal(await listedIds(handle), []);
            check.equal(await create(handle, ids), await listedIds(handle));
            const again = ids.toSorted();
            check.equal(await create(handle, again), await listedIds(handle));
            const times = (await handle.list()).map(({ mtime }) => mtime);
            check.same(new Set(times).size, 30);
          }),
      },
    ],
  },
  {
    id: "P39",
    group: "list",
    level: "L1",
    statement: "mtime moves with every change, and with nothing else",
    reason:
      "A time that stands still hides work; one that moves on reads makes every open session look new",
    reports: ["mastra-ai/mastra#17932", "mastra-ai/mastra#18000"],
    cases: [
      {
        name: "list() shows the time of the last change",
        requires: ["truncate"],
        async run({ open, check }) {
          const handle = await open();
          const other = await open();
          let last = Date.now() - 1;
          const changes = [
            () => handle.append(id, numbered(1, 5)),
            () => other.append(id, numbered(6, 6)),
            () => handle.truncate(id, 3),
            () => handle.truncate(id, 0),
            () => handle.append(id, numbered(1, 1), 0),
          ];
          for (const change of changes) {
            await change();
            const { mtime } = await infoOf(handle);
            check.ok(mtime > last, `mtime moves: ${mtime} comes after ${last}`);
            check.atMost(mtime, Date.now() + 1);
            last = mtime;
          }
        },
      },
      {
        name: "list() does not move a session for what changes nothing",
        requires: ["full", "truncate", "fork", "headToken", "idempotency"],
        async run({ open, check }) {
          const handle = await open();
          const key = { idempotencyKey: "key" };
          await handle.append(id, numbered(1, 3), key);
          await create(handle, ["later"]);
          const before = await handle.list();
          await readAll(handle);
          await handle.headToken(id);
          await handle.append(id, []);
          await handle.append(id, numbered(1, 3), key);
          await failureOf(handle.append(id, numbered(4, 4), 0));
          await failureOf(handle.append(id, [{ bad: NaN }]));
          await handle.truncate(id, 3);
          await handle.truncate(id, 9);
          await failureOf(handle.truncate(id, 0, 1));
          await failureOf(handle.fork("later", 1, id));
          await handle.fork(id, 2, "fork");
          const [fork, ...rest] = await handle.list();
          check.matches(fork, { id: "fork", head: 2 });
          check.equal(rest, before);
        },
      },
    ],
  },
];
