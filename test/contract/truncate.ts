import { expect } from "vitest";
import { isCheckpointError } from "../../src/index.ts";
import {
  expectCode,
  expectNoChange,
  expectRefusal,
  failureOf,
  id,
  infoOf,
  listedIds,
  numbered,
  numbersOf,
  readAll,
  sequence,
  turn,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

/** What a read gives; null when the log changed under it. */
async function unlessChanged<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (!isCheckpointError(error, "LOG_CHANGED")) throw error;
    return null;
  }
}

const rules: Rule[] = [
  {
    name: "truncate() keeps exactly seq 1 to toSeq, wherever batches end",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
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
          expect(await reader.head(id)).toBe(toSeq);
          expect(await readAll(reader)).toEqual(stored.slice(0, toSeq));
        }
      }
    },
  },
  {
    name: "truncate() lets the next append continue at toSeq + 1, without ghosts",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      await handle.append(id, numbered(1, 8));
      await other.append(id, numbered(9, 9));
      await handle.truncate(id, 5);
      expect(await other.append(id, numbered(60, 61))).toBe(7);
      await other.truncate(id, 6);
      expect(await handle.append(id, numbered(70, 70))).toBe(7);
      await handle.truncate(id, 0);
      expect(await other.append(id, numbered(80, 80))).toBe(1);
      expect(await handle.append(id, numbered(81, 81))).toBe(2);
      for (const reader of [handle, other, store.open()]) {
        expect(await numbersOf(reader)).toEqual([80, 81]);
      }
    },
  },
  {
    name: "truncate() at or beyond the head changes nothing",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 3), { idempotencyKey: "key" });
      await handle.append("later", numbered(1, 1));
      await expectNoChange(handle, async () => {
        for (const toSeq of [3, 4, 100, 2 ** 53 - 1]) {
          await handle.truncate(id, toSeq);
          await handle.truncate(id, toSeq, 3);
          await store.open().truncate(id, toSeq);
        }
      });
      await handle.truncate("later", 0);
      await expectNoChange(handle, () => handle.truncate("later", 0));
    },
  },
  {
    name: "truncate() of an unknown session creates nothing",
    async run(store) {
      const handle = store.open();
      const absent = await handle.headToken(id);
      await handle.truncate(id, 0);
      await handle.truncate(id, 5);
      await handle.truncate(id, 0, 0);
      await handle.truncate(id, 5, absent);
      await expectCode(handle.truncate(id, 0, 1), "CONFLICT");
      expect(await handle.list()).toEqual([]);
      expect(await handle.headToken(id)).toBe(absent);
      await handle.append(id, numbered(1, 1));
      await handle.delete(id);
      await handle.truncate(id, 0);
      expect(await handle.list()).toEqual([]);
    },
  },
  {
    name: "truncate() to 0 leaves an empty session that is listed",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      await handle.append(id, numbered(1, 3));
      await handle.append("later", numbered(1, 1));
      await handle.truncate(id, 0);
      for (const reader of [handle, other]) {
        expect(await reader.head(id)).toBe(0);
        expect(await readAll(reader)).toEqual([]);
        expect(await listedIds(reader)).toEqual([id, "later"]);
        expect((await infoOf(reader)).head).toBe(0);
      }
      expect(await handle.append(id, [])).toBe(0);
      expect(await other.append(id, numbered(4, 5), 0)).toBe(2);
    },
  },
  {
    name: "truncate() with the actual head cuts, with another one conflicts and changes nothing",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 5));
      const stale = await handle.headToken(id);
      await handle.truncate(id, 4, stale);
      await handle.truncate(id, 3, 4);
      await expectNoChange(handle, async () => {
        for (const expected of [0, 2, 4, 5]) {
          for (const toSeq of [0, 2, 3, 9]) {
            const error = await failureOf(handle.truncate(id, toSeq, expected));
            expect(error).toMatchObject({ code: "CONFLICT", sessionId: id, expected, actual: 3 });
          }
        }
        await expectCode(handle.truncate(id, 0, stale), "CONFLICT");
        await expectCode(handle.truncate(id, 9, stale), "CONFLICT");
      });
      await handle.truncate(id, 0, await handle.headToken(id));
      expect(await handle.head(id)).toBe(0);
    },
  },
  {
    name: "truncate() refuses garbage as toSeq and cuts nothing",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 3));
      await expectNoChange(handle, async () => {
        for (const value of [-1, NaN, 1.5, Infinity, 2 ** 53, null, undefined, "1", [], {}, 1n]) {
          await expectRefusal(handle.truncate(id, value as number), value);
          await expectRefusal(handle.truncate("unknown", value as number), value);
        }
      });
    },
  },
  {
    name: "truncate() of a log of many pages keeps what stays readable and appendable",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 1_500));
      await handle.append(id, numbered(1_501, 2_100));
      await handle.truncate(id, 1_800);
      expect(await store.open().append(id, numbered(1_801, 1_801))).toBe(1_801);
      await handle.truncate(id, 700);
      expect(await handle.append(id, numbered(701, 702))).toBe(702);
      expect(await numbersOf(handle)).toEqual(sequence(1, 702));
    },
  },
  {
    name: "truncate() shows readers the old or the new log while it runs",
    async run(store) {
      const [handle, reader] = [store.open(), store.open()];
      await handle.append(id, numbered(1, 40));
      for (const toSeq of sequence(20, 39).toReversed()) {
        let running = true;
        const truncate = handle.truncate(id, toSeq).finally(() => void (running = false));
        while (running) {
          const seen = await unlessChanged(numbersOf(reader));
          if (seen !== null) {
            expect([toSeq, toSeq + 1]).toContain(seen.length);
            expect(seen).toEqual(sequence(1, seen.length));
          }
          await turn();
        }
        await truncate;
      }
    },
  },
];

/** What `truncate` keeps. */
export const truncateRules: RuleGroup = { name: "truncate", rules };
