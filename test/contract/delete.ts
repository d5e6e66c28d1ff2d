import { expect } from "vitest";
import {
  expectNoChange,
  id,
  listedIds,
  numbered,
  numbersOf,
  readAll,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

const rules: Rule[] = [
  {
    name: "delete() removes a session whole, for every handle",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      await handle.append(id, numbered(1, 300));
      const absent = await other.headToken("unknown");
      await handle.delete(id);
      for (const reader of [handle, other]) {
        expect(await reader.head(id)).toBe(0);
        expect(await reader.headToken(id)).toBe(absent);
        expect(await readAll(reader)).toEqual([]);
        expect(await reader.list()).toEqual([]);
      }
    },
  },
  {
    name: "delete() twice, or of an unknown session, does nothing",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      await handle.delete(id);
      await handle.append("kept", numbered(1, 2));
      await handle.append(id, numbered(1, 1));
      await handle.delete(id);
      await expectNoChange(handle, async () => {
        await handle.delete(id);
        await other.delete(id);
        await other.delete("unknown");
      });
    },
  },
  {
    name: "delete() leaves sessions with similar ids alone",
    async run(store) {
      const handle = store.open();
      const neighbours = ["a", "ab", "a/b", "A", "a%", "aXb", "a_", "a.", "a ", "%", "_"];
      for (const target of ["a", "a_b", "a%b", "%", "_", "a*"]) {
        const rest = neighbours.filter((neighbour) => neighbour !== target);
        const append = (sessionId: string) => handle.append(sessionId, numbered(5, 5));
        await Promise.all([target, ...rest].map(append));
        await handle.delete(target);
        expect((await listedIds(handle)).toSorted()).toEqual(rest.toSorted());
        for (const neighbour of rest) expect(await numbersOf(handle, neighbour)).toEqual([5]);
        await Promise.all(rest.map((neighbour) => handle.delete(neighbour)));
      }
    },
  },
  {
    name: "delete() lets the id be born again at seq 1 with nothing of the old life",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      await handle.append(id, numbered(1, 20));
      await other.append(id, numbered(21, 21));
      for (const [deleter, appender] of [
        [handle, other],
        [other, handle],
      ] as const) {
        const token = await appender.headToken(id);
        await deleter.delete(id);
        expect(await appender.append(id, numbered(50, 51))).toBe(2);
        expect(await deleter.append(id, numbered(52, 52), 2)).toBe(3);
        expect(await deleter.headToken(id)).not.toBe(token);
        for (const reader of [handle, other]) expect(await numbersOf(reader)).toEqual([50, 51, 52]);
      }
    },
  },
];

/** What `delete` removes. */
export const deleteRules: RuleGroup = { name: "delete", rules };
