import { expect } from "vitest";
import {
  expectNoChange,
  expectRefusal,
  failureOf,
  id,
  numbered,
  numbersOf,
  readAll,
  sequence,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

const rules: Rule[] = [
  {
    name: "fork() copies seq 1 to atSeq with their timestamps",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 4));
      await handle.append(id, numbered(5, 6));
      const source = await readAll(handle);
      for (const atSeq of [1, 3, 4, 6]) {
        const target = `fork-${atSeq}`;
        expect(await handle.fork(id, atSeq, target)).toBe(atSeq);
        const copies = source.slice(0, atSeq).map((stored) => ({ ...stored, sessionId: target }));
        expect(await readAll(handle, target)).toEqual(copies);
        expect(await readAll(store.open(), target)).toEqual(copies);
        expect(await readAll(handle, target, { reverse: true })).toEqual(copies.toReversed());
        expect(await handle.head(target)).toBe(atSeq);
      }
    },
  },
  {
    name: "fork() makes sessions that are independent afterwards",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 5));
      await handle.fork(id, 3, "a");
      await handle.fork("a", 3, "b");
      expect(await handle.headToken("a")).not.toBe(await handle.headToken("b"));
      expect(await handle.append("a", numbered(10, 10), 3)).toBe(4);
      await handle.truncate(id, 1);
      expect(await store.open().append("b", numbered(20, 20))).toBe(4);
      await handle.delete("a");
      expect(await numbersOf(handle)).toEqual([1]);
      expect(await numbersOf(handle, "a")).toEqual([]);
      expect(await numbersOf(handle, "b")).toEqual([1, 2, 3, 20]);
    },
  },
  {
    name: "fork() refuses a target that exists, empty or not, and changes nothing",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 3));
      await handle.append("target", numbered(1, 2));
      await handle.append("empty", numbered(1, 1));
      await handle.truncate("empty", 0);
      await expectNoChange(handle, async () => {
        for (const [target, actual] of [
          ["target", 2],
          ["empty", 0],
          [id, 3],
        ] as const) {
          expect(await failureOf(handle.fork(id, 1, target))).toMatchObject({
            code: "CONFLICT",
            sessionId: target,
            expected: 0,
            actual,
          });
        }
      });
      await handle.delete("target");
      expect(await handle.fork(id, 3, "target")).toBe(3);
    },
  },
  {
    name: "fork() refuses a seq that the source does not have",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 3));
      await handle.append("empty", numbered(1, 1));
      await handle.truncate("empty", 0);
      await expectNoChange(handle, async () => {
        for (const atSeq of [0, 4, 2 ** 53 - 1, -1, 1.5, NaN, 2 ** 53]) {
          expect(await failureOf(handle.fork(id, atSeq, "target"))).toBeInstanceOf(RangeError);
        }
        for (const source of ["unknown", "empty"]) {
          expect(await failureOf(handle.fork(source, 1, "target"))).toBeInstanceOf(RangeError);
        }
        for (const atSeq of [null, undefined, "1", [], {}, 1n]) {
          await expectRefusal(handle.fork(id, atSeq as number, "target"), atSeq);
        }
      });
    },
  },
  {
    name: "fork() copies a log of many pages",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 1_000));
      await handle.append(id, numbered(1_001, 1_300));
      expect(await handle.fork(id, 1_234, "target")).toBe(1_234);
      expect(await handle.append("target", numbered(1_235, 1_235), 1_234)).toBe(1_235);
      expect(await numbersOf(store.open(), "target")).toEqual(sequence(1, 1_235));
    },
  },
  {
    name: "fork() of what another handle is appending to copies a prefix of it",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      await handle.append(id, numbered(1, 10));
      const appends = sequence(11, 20).map((n) => other.append(id, [{ n }]));
      expect(await handle.fork(id, 10, "target")).toBe(10);
      await Promise.all(appends);
      expect(await numbersOf(handle, "target")).toEqual(sequence(1, 10));
      expect(await numbersOf(handle)).toEqual(sequence(1, 20));
    },
  },
];

/** What `fork` makes. */
export const forkRules: RuleGroup = { name: "fork", rules };
