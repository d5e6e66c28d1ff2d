import { fork } from "../changes.ts";
import { sweepKills } from "../processes/kill-sweep.ts";
import { id, numbered, sequence, readAll, numbersOf } from "../session-state.ts";
import { failureOf } from "../check.ts";
import { begin } from "../begin.ts";
import type { Properties } from "../property.ts";

/** What `fork` makes. */
export const forkProperties: Properties = [
  {
    id: "B1",
    group: "fork",
    level: "L1",
    requires: ["fork"],
    statement: "A fork holds seq 1 to atSeq of its source, times included",
    reason: "A branch has to begin with what it branches from",
    cases: [
      {
        name: "fork() copies seq 1 to atSeq with their timestamps",
        requires: ["range"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 4));
          await handle.append(id, numbered(5, 6));
          const source = await readAll(handle);
          for (const atSeq of [1, 3, 4, 6]) {
            const target = `fork-${atSeq}`;
            check.same(await handle.fork(id, atSeq, target), atSeq);
            const copies = source
              .slice(0, atSeq)
              .map((stored) => ({ ...stored, sessionId: target }));
            check.equal(await readAll(handle, target), copies);
            check.equal(await readAll(await open(), target), copies);
            check.equal(await readAll(handle, target, { reverse: true }), copies.toReversed());
            check.same(await handle.head(target), atSeq);
          }
        },
      },
      {
        name: "fork() copies a log of many pages",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1_000));
          await handle.append(id, numbered(1_001, 1_300));
          check.same(await handle.fork(id, 1_234, "target"), 1_234);
          check.same(await handle.append("target", numbered(1_235, 1_235), 1_234), 1_235);
          check.equal(await numbersOf(await open(), "target"), sequence(1, 1_235));
        },
      },
      {
        name: "fork() refuses a seq that the source does not have",
        requires: ["truncate"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          await handle.append("empty", numbered(1, 1));
          await handle.truncate("empty", 0);
          await check.changesNothing(handle, async () => {
            for (const atSeq of [0, 4, 2 ** 53 - 1, -1, 1.5, NaN, 2 ** 53]) {
              check.ok(
                (await failureOf(handle.fork(id, atSeq, "target"))) instanceof RangeError,
                "wanted a RangeError",
              );
            }
            for (const source of ["unknown", "empty"]) {
              check.ok(
                (await failureOf(handle.fork(source, 1, "target"))) instanceof RangeError,
                "wanted a RangeError",
              );
            }
            for (const atSeq of [null, undefined, "1", [], {}, 1n]) {
              await check.refuses(handle.fork(id, atSeq as number, "target"), atSeq);
            }
          });
        },
      },
    ],
  },
  {
    id: "B2",
    group: "fork",
    level: "L1",
    requires: ["fork"],
    statement: "Source and fork are independent afterwards",
    reason: "A branch that writes into its trunk is no branch",
    cases: [
      {
        name: "fork() makes sessions that are independent afterwards",
        requires: ["truncate", "headToken"],
        async run({ open, check, manifest }) {
          const handle = await open();
          await handle.append(id, numbered(1, 5));
          await handle.fork(id, 3, "a");
          await handle.fork("a", 3, "b");
          await handle.fork(id, 3, "untouched");
          if (manifest.headToken) {
            check.differs(await handle.headToken("a"), await handle.headToken("b"));
          }
          check.same(await handle.append("a", numbered(10, 10), 3), 4);
          await handle.truncate(id, 1);
          check.same(await (await open()).append("b", numbered(20, 20)), 4);
          await handle.delete("a");
          check.equal(await numbersOf(handle), [1]);
          check.equal(await numbersOf(handle, "a"), []);
          check.equal(await numbersOf(handle, "b"), [1, 2, 3, 20]);
          await handle.delete(id);
          check.equal(await numbersOf(handle, "untouched"), [1, 2, 3]);
        },
      },
      {
        name: "fork() of what another handle is appending to copies a prefix of it",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 10));
          const appends = begin(
            Promise.all(sequence(11, 20).map((n) => other.append(id, [{ n }]))),
          );
          check.same(await handle.fork(id, 10, "target"), 10);
          await appends;
          check.equal(await numbersOf(handle, "target"), sequence(1, 10));
          check.equal(await numbersOf(handle), sequence(1, 20));
        },
      },
    ],
  },
  {
    id: "B3",
    group: "fork",
    level: "L1",
    requires: ["fork"],
    statement: "A target that exists, empty or not, is a conflict and stays as it is",
    reason: "A fork that overwrites is a delete",
    cases: [
      {
        name: "fork() refuses a target that exists, empty or not, and changes nothing",
        requires: ["truncate"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          await handle.append("target", numbered(1, 2));
          await handle.append("empty", numbered(1, 1));
          await handle.truncate("empty", 0);
          await check.changesNothing(handle, async () => {
            for (const [target, actual] of [
              ["target", 2],
              ["empty", 0],
              [id, 3],
            ] as const) {
              check.matches(await failureOf(handle.fork(id, 1, target)), {
                code: "CONFLICT",
                sessionId: target,
                expected: 0,
                actual,
              });
            }
          });
          await handle.delete("target");
          check.same(await handle.fork(id, 3, "target"), 3);
        },
      },
    ],
  },
  {
    id: "B4",
    group: "fork",
    level: "L3",
    requires: ["fork", "durable", "processes"],
    statement: "A fork that is killed at any step leaves no target or a whole one",
    reason: "Half a branch is a history that nobody has lived",
    cases: [
      {
        name: "fork() that is killed at any step",
        run: (context) => sweepKills(context, fork),
      },
    ],
  },
];
