import { id, numbered, readAll, numbersOf, type Handle } from "../session-state.ts";
import { collect } from "../collect.ts";
import { failureOf, type Check } from "../check.ts";
import type { HeadToken } from "../../src/index.ts";
import type { Properties } from "../property.ts";

/** Checks that every call that takes a token refuses this one. */
async function expectRefused(
  check: Check,
  handle: Handle,
  token: HeadToken,
  sessionId = id,
): Promise<void> {
  await check.changesNothing(handle, async () => {
    await check.fails(handle.append(sessionId, numbered(9, 9), token), "CONFLICT");
    const options = { expectedHead: token };
    await check.fails(handle.append(sessionId, numbered(9, 9), options), "CONFLICT");
    await check.fails(handle.append(sessionId, [], token), "CONFLICT");
    await check.fails(handle.truncate(sessionId, 0, token), "CONFLICT");
  });
}

/** What a head token tells apart. */
export const headTokenProperties: Properties = [
  {
    id: "T1",
    group: "head token",
    level: "L1",
    requires: ["headToken"],
    statement: "A head token is the same exactly as long as nothing has changed",
    reason:
      "A token that changes by itself conflicts for nothing; one that repeats does not conflict when it should",
    cases: [
      {
        name: "headToken() stays the same as long as nothing changes",
        requires: ["truncate", "fork", "verify"],
        async run({ open, check }) {
          const handle = await open();
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
          check.same(await handle.headToken(id), token);
          check.same(await (await open()).headToken(id), token);
          check.same(JSON.parse(JSON.stringify(token)), token);
        },
      },
      {
        name: "headToken() never repeats in one session",
        requires: ["truncate"],
        async run({ open, check }) {
          const handle = await open();
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
          check.same(new Set(tokens).size, tokens.length);
        },
      },
      {
        name: "append() refuses the token of another session",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          await handle.append("twin", numbered(1, 1));
          await expectRefused(check, handle, await handle.headToken("twin"));
        },
      },
      {
        name: "append() takes the token of an absent session for absent, not for empty",
        requires: ["truncate"],
        async run({ open, check }) {
          const handle = await open();
          const absent = await handle.headToken(id);
          check.same(await handle.append(id, numbered(1, 1), absent), 1);
          await expectRefused(check, handle, absent);
          await handle.truncate(id, 0);
          await expectRefused(check, handle, absent);
          const empty = await handle.headToken(id);
          await handle.delete(id);
          await expectRefused(check, handle, empty);
          check.same(await handle.append(id, numbered(2, 2), absent), 1);
        },
      },
      {
        name: "append() that refuses a token names it as what was expected",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          const expected = await handle.headToken(id);
          await handle.append(id, numbered(2, 2));
          check.matches(await failureOf(handle.append(id, numbered(3, 3), expected)), {
            code: "CONFLICT",
            sessionId: id,
            expected,
            actual: 2,
          });
        },
      },
    ],
  },
  {
    id: "T2",
    group: "head token",
    level: "L1",
    requires: ["headToken", "truncate"],
    statement: "A token is refused when a truncate and an append have restored the number",
    reason: "The number matches and the history behind it is another one",
    cases: [
      {
        name: "append() refuses a token when a truncate and an append restored the number",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 3));
          const token = await handle.headToken(id);
          await other.truncate(id, 2);
          await other.append(id, numbered(3, 3));
          await expectRefused(check, handle, token);
          check.same(await handle.append(id, numbered(4, 4), 3), 4);
        },
      },
    ],
  },
  {
    id: "T3",
    group: "head token",
    level: "L1",
    requires: ["headToken"],
    statement: "A token is refused when a delete and a rebirth have restored the number",
    reason: "The same, across two lives of one id",
    cases: [
      {
        name: "append() refuses a token when a delete and a rebirth restored the number",
        async run({ open, check }) {
          const [handle, other] = [await open(), await open()];
          await handle.append(id, numbered(1, 3));
          const token = await handle.headToken(id);
          await other.delete(id);
          await expectRefused(check, handle, token);
          await other.append(id, numbered(1, 3));
          await expectRefused(check, handle, token);
          check.equal(await numbersOf(handle), [1, 2, 3]);
        },
      },
    ],
  },
];
