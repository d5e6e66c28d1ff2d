import { expect } from "vitest";
import type { HeadToken } from "../../src/index.ts";
import type { Handle } from "../stores.ts";
import {
  collect,
  expectCode,
  expectNoChange,
  failureOf,
  id,
  numbered,
  numbersOf,
  readAll,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

/** Checks that every call that takes a token refuses this one. */
async function expectRefused(handle: Handle, token: HeadToken, sessionId = id): Promise<void> {
  await expectNoChange(handle, async () => {
    await expectCode(handle.append(sessionId, numbered(9, 9), token), "CONFLICT");
    const options = { expectedHead: token };
    await expectCode(handle.append(sessionId, numbered(9, 9), options), "CONFLICT");
    await expectCode(handle.append(sessionId, [], token), "CONFLICT");
    await expectCode(handle.truncate(sessionId, 0, token), "CONFLICT");
  });
}

const rules: Rule[] = [
  {
    name: "headToken() stays the same as long as nothing changes",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 3));
      const token = await handle.headToken(id);
      await readAll(handle);
      await handle.list();
      await collect(handle.verify(id));
      await handle.append(id, []);
      await handle.truncate(id, 3);
      await handle.truncate(id, 99);
      await handle.append("other", numbered(1, 1));
      await handle.fork(id, 2, "fork");
      await failureOf(handle.append(id, numbered(4, 4), 0));
      await failureOf(handle.append(id, [{ bad: NaN }]));
      expect(await handle.headToken(id)).toBe(token);
      expect(await store.open().headToken(id)).toBe(token);
      expect(JSON.parse(JSON.stringify(token))).toBe(token);
    },
  },
  {
    name: "headToken() never repeats in one session",
    async run(store) {
      const handle = store.open();
      const tokens: HeadToken[] = [await handle.headToken(id)];
      const look = async () => tokens.push(await handle.headToken(id));
      for (let life = 0; life < 2; life += 1) {
        await handle.append(id, numbered(1, 2));
        await look();
        await handle.append(id, numbered(3, 3));
        await look();
        await handle.truncate(id, 2);
        await look();
        await handle.append(id, numbered(3, 3));
        await look();
        await handle.truncate(id, 0);
        await look();
        await handle.append(id, numbered(1, 2));
        await look();
        await handle.delete(id);
      }
      expect(new Set(tokens).size).toBe(tokens.length);
    },
  },
  {
    name: "append() refuses a token when a truncate and an append restored the number",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      await handle.append(id, numbered(1, 3));
      const token = await handle.headToken(id);
      await other.truncate(id, 2);
      await other.append(id, numbered(3, 3));
      await expectRefused(handle, token);
      expect(await handle.append(id, numbered(4, 4), 3)).toBe(4);
    },
  },
  {
    name: "append() refuses a token when a delete and a rebirth restored the number",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      await handle.append(id, numbered(1, 3));
      const token = await handle.headToken(id);
      await other.delete(id);
      await expectRefused(handle, token);
      await other.append(id, numbered(1, 3));
      await expectRefused(handle, token);
      expect(await numbersOf(handle)).toEqual([1, 2, 3]);
    },
  },
  {
    name: "append() refuses the token of another session",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 1));
      await handle.append("twin", numbered(1, 1));
      await expectRefused(handle, await handle.headToken("twin"));
    },
  },
  {
    name: "append() takes the token of an absent session for absent, not for empty",
    async run(store) {
      const handle = store.open();
      const absent = await handle.headToken(id);
      expect(await handle.append(id, numbered(1, 1), absent)).toBe(1);
      await expectRefused(handle, absent);
      await handle.truncate(id, 0);
      await expectRefused(handle, absent);
      const empty = await handle.headToken(id);
      await handle.delete(id);
      await expectRefused(handle, empty);
      expect(await handle.append(id, numbered(2, 2), absent)).toBe(1);
    },
  },
  {
    name: "append() that refuses a token names it as what was expected",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 1));
      const expected = await handle.headToken(id);
      await handle.append(id, numbered(2, 2));
      expect(await failureOf(handle.append(id, numbered(3, 3), expected))).toMatchObject({
        code: "CONFLICT",
        sessionId: id,
        expected,
        actual: 2,
      });
    },
  },
];

/** What a token notices that a number cannot. */
export const headTokenRules: RuleGroup = { name: "head tokens", rules };
