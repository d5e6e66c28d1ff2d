import { id, numbered, sequence, readAll, numbersOf, listedIds } from "../session-state.ts";
import type { Properties } from "../property.ts";

/** What `delete` removes. */
export const deleteProperties: Properties = [
  {
    id: "P42",
    group: "delete",
    level: "L1",
    statement:
      "A deleted session has head 0, is empty and unlisted; deleting again or an unknown one does nothing",
    reason: "A deletion that leaves something behind is a promise to a user that was not kept",
    cases: [
      {
        name: "delete() leaves nothing, for every handle",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 300));
          await handle.append("kept", numbered(1, 1));
          await handle.delete(id);
          await handle.delete(id);
          await other.delete("unknown");
          for (const reader of [handle, other]) {
            check.same(await reader.head(id), 0);
            check.equal(await readAll(reader), []);
            check.equal(await listedIds(reader), ["kept"]);
          }
        },
      },
      {
        name: "delete() removes a session whole, for every handle",
        requires: ["headToken"],
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 300));
          const absent = await other.headToken("unknown");
          await handle.delete(id);
          for (const reader of [handle, other]) {
            check.same(await reader.head(id), 0);
            check.same(await reader.headToken(id), absent);
            check.equal(await readAll(reader), []);
            check.equal(await reader.list(), []);
          }
        },
      },
      {
        name: "delete() twice, or of an unknown session, does nothing",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.delete(id);
          await handle.append("kept", numbered(1, 2));
          await handle.append(id, numbered(1, 1));
          await handle.delete(id);
          await check.changesNothing(handle, async () => {
            await handle.delete(id);
            await other.delete(id);
            await other.delete("unknown");
          });
        },
      },
    ],
  },
  {
    id: "P43",
    group: "delete",
    level: "L1",
    statement: "Deleting a session leaves sessions with similar ids alone",
    reason: "LIKE 'a%' also deletes ab",
    cases: [
      {
        name: "delete() leaves sessions with similar ids alone",
        async run({ open, check }) {
          const handle = await open();
          const neighbours = ["a", "ab", "a/b", "A", "a%", "aXb", "a_", "a.", "a ", "%", "_"];
          for (const target of ["a", "a_b", "a%b", "%", "_", "a*"]) {
            const rest = neighbours.filter((neighbour) => neighbour !== target);
            for (const one of [target, ...rest]) await handle.append(one, numbered(5, 5));
            await handle.delete(target);
            check.equal((await listedIds(handle)).toSorted(), rest.toSorted());
            for (const neighbour of rest) check.equal(await numbersOf(handle, neighbour), [5]);
            for (const neighbour of rest) await handle.delete(neighbour);
          }
        },
      },
    ],
  },
  {
    id: "P44",
    group: "delete",
    level: "L1",
    statement: "A deleted id is born again at seq 1 with nothing of its old life, for every handle",
    reason: "A remembered head continues a log that is gone",
    cases: [
      {
        name: "append() after a delete starts at seq 1, whoever deleted",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 20));
          await other.append(id, numbered(21, 21));
          for (const [deleter, appender] of [
            [handle, other],
            [other, handle],
          ] as const) {
            await deleter.delete(id);
            check.same(await appender.append(id, numbered(50, 51)), 2);
            check.same(await deleter.append(id, numbered(52, 52), 2), 3);
            for (const reader of [handle, other])
              check.equal(await numbersOf(reader), [50, 51, 52]);
          }
        },
      },
      {
        name: "delete() lets the id be born again at seq 1 with nothing of the old life",
        requires: ["headToken"],
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 20));
          await other.append(id, numbered(21, 21));
          for (const [deleter, appender] of [
            [handle, other],
            [other, handle],
          ] as const) {
            const token = await appender.headToken(id);
            await deleter.delete(id);
            check.same(await appender.append(id, numbered(50, 51)), 2);
            check.same(await deleter.append(id, numbered(52, 52), 2), 3);
            check.differs(await deleter.headToken(id), token);
            for (const reader of [handle, other])
              check.equal(await numbersOf(reader), [50, 51, 52]);
          }
        },
      },
    ],
  },
  {
    id: "P45",
    group: "delete",
    level: "L2",
    statement: "An append that races a delete ends in one of the two legal orders",
    reason:
      "In between lie ghosts: a session that is listed and has no events, or events that no session has",
    cases: [
      {
        name: "append() and delete() that race end in one of the two legal orders",
        async run({ open, check }) {
          const [first, second] = [await open(), await open()];
          for (const round of sequence(1, 10)) {
            const sessionId = `session-${round}`;
            await first.append(sessionId, numbered(1, 2));
            const [head] = await Promise.all([
              first.append(sessionId, numbered(3, 3)),
              second.delete(sessionId),
            ]);
            const legal = [`3 []`, `1 [3]`];
            check.includes(legal, `${head} ${JSON.stringify(await numbersOf(first, sessionId))}`);
          }
        },
      },
    ],
  },
];
