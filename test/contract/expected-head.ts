import { expect } from "vitest";
import { CheckpointConflictError, type AppendOptions, type HeadToken } from "../../src/index.ts";
import {
  expectNoChange,
  expectRefusal,
  failureOf,
  id,
  numbered,
  numbersOf,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

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
  "a:9007199254740992",
  [],
  [0],
  true,
  0n,
  Symbol("0"),
  () => 0,
];

const rules: Rule[] = [
  {
    name: "append() accepts the actual head in each form",
    async run(store) {
      const handle = store.open();
      expect(await handle.append(id, numbered(1, 1), 0)).toBe(1);
      expect(await handle.append(id, numbered(2, 2), { expectedHead: 1 })).toBe(2);
      expect(await handle.append(id, numbered(3, 3), await handle.headToken(id))).toBe(3);
      const expectedHead = await handle.headToken(id);
      expect(await handle.append(id, numbered(4, 4), { expectedHead })).toBe(4);
      expect(await handle.append(id, numbered(5, 5), { expectedHead: undefined })).toBe(5);
      expect(await handle.append(id, numbered(6, 6), {})).toBe(6);
      expect(await handle.append(id, numbered(7, 7), undefined)).toBe(7);
      expect(await numbersOf(handle)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    },
  },
  {
    name: "append() rejects a head below or above the actual one and says which",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 3));
      for (const expected of [0, 1, 2, 4, 5, 2 ** 53 - 1]) {
        for (const form of [expected, { expectedHead: expected }]) {
          const error = await failureOf(handle.append(id, numbered(9, 9), form));
          expect(error).toBeInstanceOf(CheckpointConflictError);
          expect(error).toMatchObject({
            name: "CheckpointConflictError",
            code: "CONFLICT",
            retryable: false,
            sessionId: id,
            expected,
            actual: 3,
          });
        }
      }
      expect(await numbersOf(handle)).toEqual([1, 2, 3]);
    },
  },
  {
    name: "append() takes expectedHead 0 for absent or empty, never for no check",
    async run(store) {
      const handle = store.open();
      expect(await failureOf(handle.append(id, numbered(1, 1), 1))).toMatchObject({
        code: "CONFLICT",
        expected: 1,
        actual: 0,
      });
      expect(await handle.list()).toEqual([]);
      expect(await handle.append(id, numbered(1, 1), 0)).toBe(1);
      for (const zero of [0, -0, { expectedHead: 0 }]) {
        const error = await failureOf(handle.append(id, numbered(2, 2), zero));
        expect(error).toMatchObject({ code: "CONFLICT", actual: 1 });
      }
      await handle.truncate(id, 0);
      expect(await handle.append(id, numbered(5, 5), 0)).toBe(1);
      await handle.delete(id);
      expect(await handle.append(id, numbered(6, 6), { expectedHead: 0 })).toBe(1);
      expect(await numbersOf(handle)).toEqual([6]);
    },
  },
  {
    name: "append() and truncate() refuse garbage as expected head",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 2));
      await expectNoChange(handle, async () => {
        for (const value of garbage) {
          const expected = value as number;
          await expectRefusal(handle.append(id, numbered(3, 3), expected), value);
          await expectRefusal(handle.append("new", numbered(3, 3), expected), value);
          await expectRefusal(handle.append(id, [], expected), value);
          const options: AppendOptions = { expectedHead: expected };
          await expectRefusal(handle.append(id, numbered(3, 3), options), value);
          await expectRefusal(handle.truncate(id, 1, expected), value);
        }
        const options = { expectedHead: 2 } as unknown as number;
        await expectRefusal(handle.truncate(id, 1, options), options);
      });
    },
  },
  {
    name: "append() and truncate() reject a head that another handle has moved",
    async run(store) {
      const [first, second] = [store.open(), store.open()];
      await first.append(id, numbered(1, 1));
      await second.append(id, numbered(2, 2));
      const stale = await failureOf(first.append(id, numbered(9, 9), 1));
      expect(stale).toMatchObject({ code: "CONFLICT", expected: 1, actual: 2 });
      expect(await first.append(id, numbered(3, 3), 2)).toBe(3);
      expect(await failureOf(second.truncate(id, 1, 2))).toMatchObject({ actual: 3 });
      await first.truncate(id, 1, 3);
      const beyond = await failureOf(second.append(id, numbered(9, 9), 3));
      expect(beyond).toMatchObject({ code: "CONFLICT", actual: 1 });
      await first.delete(id);
      const delayed = await failureOf(second.append(id, numbered(9, 9), 1));
      expect(delayed).toMatchObject({ code: "CONFLICT", actual: 0 });
      expect(await second.append(id, numbered(4, 4), 0)).toBe(1);
      expect(await numbersOf(first)).toEqual([4]);
    },
  },
  {
    name: "append() that conflicts changes nothing at all",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 2));
      await handle.append("later", numbered(1, 1));
      const token: HeadToken = await handle.headToken("later");
      await expectNoChange(handle, async () => {
        for (const other of [handle, store.open()]) {
          for (const stale of [0, 1, 3, token]) {
            await failureOf(other.append(id, numbered(3, 9), stale));
            await failureOf(other.append(id, [], stale));
            await failureOf(other.truncate(id, 0, stale));
          }
        }
      });
    },
  },
];

/** What `expectedHead` means when nobody else is writing. */
export const expectedHeadRules: RuleGroup = { name: "expected head", rules };
