import { expect } from "vitest";
import {
  expectCode,
  expectNoChange,
  expectRefusal,
  failureOf,
  id,
  numbered,
  numbersOf,
  openMany,
  reopen,
  sequence,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

const key = { idempotencyKey: "call-1" };

const rules: Rule[] = [
  {
    name: "append() with a known key stores nothing and returns the first result",
    async run(store) {
      const handle = store.open();
      expect(await handle.append(id, numbered(1, 2), key)).toBe(2);
      await handle.append("later", numbered(1, 1));
      await expectNoChange(handle, async () => {
        expect(await handle.append(id, numbered(1, 2), key)).toBe(2);
        expect(await store.open().append(id, numbered(1, 2), key)).toBe(2);
      });
    },
  },
  {
    name: "append() with a known key returns the first result whatever happened since",
    async run(store) {
      const handle = store.open();
      const options = { ...key, expectedHead: 1 };
      const token = { ...key, expectedHead: await handle.headToken(id) };
      await handle.append(id, numbered(1, 1));
      expect(await handle.append(id, numbered(2, 3), options)).toBe(3);
      await store.open().append(id, numbered(4, 9));
      for (const again of [key, options, token, { ...key, expectedHead: 7 }]) {
        expect(await handle.append(id, numbered(2, 3), again)).toBe(3);
      }
      expect(await numbersOf(handle)).toEqual(sequence(1, 9));
    },
  },
  {
    name: "append() with a known key and other events is refused",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 2), key);
      const others = [numbered(1, 1), numbered(1, 3), numbered(2, 3), [{ n: 1 }, { m: 2 }], []];
      await expectNoChange(handle, async () => {
        for (const events of others) {
          await expectCode(handle.append(id, events, key), "IDEMPOTENCY_MISMATCH");
          const stale = { ...key, expectedHead: 0 };
          await expectCode(handle.append(id, events, stale), "IDEMPOTENCY_MISMATCH");
        }
      });
    },
  },
  {
    name: "append() scopes a key to its session",
    async run(store) {
      const handle = store.open();
      expect(await handle.append("a", numbered(1, 2), key)).toBe(2);
      expect(await handle.append("b", numbered(7, 7), key)).toBe(1);
      expect(await numbersOf(handle, "b")).toEqual([7]);
    },
  },
  {
    name: "append() that is refused burns no key",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 1));
      await expectCode(handle.append(id, numbered(2, 2), { ...key, expectedHead: 0 }), "CONFLICT");
      await expectCode(handle.append(id, [{ bad: NaN }], key), "EVENT_NOT_SERIALIZABLE");
      const aborted = { ...key, signal: AbortSignal.abort() };
      await failureOf(handle.append(id, numbered(2, 2), aborted));
      expect(await handle.append(id, numbered(3, 3), key)).toBe(2);
      expect(await numbersOf(handle)).toEqual([1, 3]);
    },
  },
  {
    name: "append([]) with a new key stores nothing and burns no key",
    async run(store) {
      const handle = store.open();
      expect(await handle.append(id, [], key)).toBe(0);
      expect(await handle.list()).toEqual([]);
      expect(await handle.append(id, numbered(1, 1), key)).toBe(1);
    },
  },
  {
    name: "append([]) with a known key is refused, alone and among other appends",
    async run(store) {
      const handle = store.open();
      const results = await Promise.allSettled([
        handle.append(id, numbered(1, 1), key),
        handle.append(id, [], key),
        handle.append(id, numbered(2, 2)),
      ]);
      const mismatch = { reason: { code: "IDEMPOTENCY_MISMATCH" } };
      expect(results).toMatchObject([{ value: 1 }, mismatch, { value: 2 }]);
      await expectCode(handle.append(id, [], key), "IDEMPOTENCY_MISMATCH");
    },
  },
  {
    name: "append() remembers a key in another handle and after a reopen",
    async run(store) {
      const first = store.open();
      await first.append(id, numbered(1, 2), key);
      await first.append(id, numbered(3, 3));
      const second = await reopen(store, first);
      expect(await second.append(id, numbered(1, 2), key)).toBe(2);
      expect(await second.head(id)).toBe(3);
    },
  },
  {
    name: "delete() forgets the keys of its session",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      await handle.append(id, numbered(1, 2), key);
      await other.delete(id);
      expect(await handle.append(id, numbered(5, 5), key)).toBe(1);
      expect(await numbersOf(handle)).toEqual([5]);
    },
  },
  {
    name: "truncate() keeps the keys of what stays and forgets those it cuts off or into",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      const keyed = (name: string) => ({ idempotencyKey: name });
      await handle.append(id, numbered(1, 2), keyed("kept"));
      await handle.append(id, numbered(3, 5), keyed("cut into"));
      await handle.append(id, numbered(6, 6), keyed("cut off"));
      await other.truncate(id, 4);
      expect(await handle.append(id, numbered(1, 2), keyed("kept"))).toBe(2);
      expect(await handle.append(id, numbered(7, 7), keyed("cut off"))).toBe(5);
      expect(await handle.append(id, numbered(8, 9), keyed("cut into"))).toBe(7);
      expect(await other.append(id, numbered(8, 9), keyed("cut into"))).toBe(7);
      expect(await numbersOf(handle)).toEqual([1, 2, 3, 4, 7, 8, 9]);
    },
  },
  {
    name: "fork() copies no keys",
    async run(store) {
      const handle = store.open();
      await handle.append("source", numbered(1, 2), key);
      await handle.fork("source", 2, id);
      expect(await handle.append(id, numbered(9, 9), key)).toBe(3);
    },
  },
  {
    name: "append() stores once however many calls with one key run at once",
    async run(store) {
      const handles = openMany(store, 4);
      await handles[0]!.append(id, numbered(1, 1));
      const calls = sequence(0, 15).map((index) =>
        handles[index % 4]!.append(id, numbered(2, 4), key),
      );
      expect(await Promise.all(calls)).toEqual(calls.map(() => 4));
      expect(await numbersOf(handles[0]!)).toEqual([1, 2, 3, 4]);
    },
  },
  {
    name: "append() lets one of many racers with one key and different events win",
    async run(store) {
      const handles = openMany(store, 4);
      const calls = handles.map((handle, n) => handle.append(id, [{ n }], key));
      const results = await Promise.allSettled(calls);
      const won = results.findIndex(({ status }) => status === "fulfilled");
      for (const [index, result] of results.entries()) {
        const wanted = index === won ? { value: 1 } : { reason: { code: "IDEMPOTENCY_MISMATCH" } };
        expect(result).toMatchObject(wanted);
      }
      expect(await numbersOf(handles[0]!)).toEqual([won]);
    },
  },
  {
    name: "append() refuses garbage as a key and takes any other string of 1 to 256 bytes",
    async run(store) {
      const handle = store.open();
      const garbage = ["", "\0", "a\0", "\ud800", "k".repeat(257), "\u20ac".repeat(86)];
      for (const value of [...garbage, null, 1, {}, ["k"], Symbol("k")]) {
        const options = { idempotencyKey: value as string };
        await expectRefusal(handle.append(id, numbered(1, 1), options), value);
      }
      expect(await handle.list()).toEqual([]);
      const keys = ["k", "K", " ", "k ", "%", "'", "\n", "\u20ac".repeat(85), "k".repeat(256)];
      for (const [index, idempotencyKey] of keys.entries()) {
        expect(await handle.append(id, [{ n: index }], { idempotencyKey })).toBe(index + 1);
      }
      for (const [index, idempotencyKey] of keys.entries()) {
        expect(await handle.append(id, [{ n: index }], { idempotencyKey })).toBe(index + 1);
      }
      expect(await handle.head(id)).toBe(keys.length);
    },
  },
];

/** What an idempotency key promises. */
export const idempotencyRules: RuleGroup = { name: "idempotency", rules };
