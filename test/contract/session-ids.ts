import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Handle } from "../stores.ts";
import {
  expectCode,
  id,
  listedIds,
  numbered,
  numbersOf,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

/** Ids that file names, collations, patterns and paths have been known to confuse. */
const distinctIds: readonly string[] = [
  ["a/b", "a_b", "a%2fb", "a\\b", "a b", "a+b", "a-b", "a.b", "a:b", "ab"],
  ["A", "a", "\u00c4", "\u00e4", "A\u0308", "a\u0308", "\u212b", "\u00c5", "\ufb01", "fi"],
  ["\u0130", "\u0131", "I", "i", "\u00df", "ss", "\u01c4", "\u01c6", "\u{10400}", "\u{10428}"],
  [".", "..", "...", "../x", "../../x", "/", "/x", "x/", "./x", "x/../y", "~", "~/x"],
  ["CON", "con", "NUL", "aux.txt", "COM1", "LPT\u00b9", "C:", "C:\\x", "\\\\host\\share"],
  ["x", "x.", "x..", "x ", " x", "x\t", "x\n", "x\r\n", "\n", " ", "  ", "\u00a0", "\u200b"],
  ["x.jsonl", "x.lock", "x.tmp", "x.owner", "x.want", "x.db", "x-wal", "x.jsonl.lock"],
  ["%", "_", "%%", "x%", "x_", "?", "*", "[x]", "'", '"', "`", ";", "--", "$1", "?1", "\\"],
  ["%78", "%2e", "%2E", "%00", "%E2", "%25", "%c3%a4", "&amp;", "<x>", "|", "#", "!"],
  ["null", "undefined", "true", "0", "00", "-0", "1e3", "NaN", "{}", "__proto__", "constructor"],
  ["\u2028", "\u202e", "\ufeff", "\ufeffx", "\ufffd", "\ufffe", "\u0001", "\u007f", "\u0080"],
  ["\u{1f600}", "\u{1f468}\u200d\u{1f469}", "x~", "x~0", "-x", "--x", ".x", "@x", ".lock"],
].flat();

/** Long ids that differ in their last character, in bytes 255 and 512 of all kinds. */
const longIds: readonly string[] = [254, 255, 256, 511, 512].flatMap((bytes) => [
  `${"l".repeat(bytes - 1)}1`,
  `${"l".repeat(bytes - 1)}2`,
  `${"L".repeat(bytes - 1)}1`,
  `${"%".repeat(bytes - 1)}1`,
  `${"\u00e9".repeat(Math.floor(bytes / 2) - 1)}${bytes % 2 === 0 ? "" : "x"}e1`,
]);

const invalidIds: readonly unknown[] = [
  "",
  "\0",
  "a\0b",
  "\ud800",
  "a\udc00",
  "\udc00\ud800",
  "i".repeat(513),
  "\u20ac".repeat(171),
  "\u{1f600}".repeat(129),
  undefined,
  null,
  0,
  1,
  NaN,
  true,
  {},
  [],
  ["a"],
  Symbol("a"),
  () => "a",
  Object("a"),
];

/** Checks that every call that takes an id refuses this one, in each place. */
async function expectInvalid(handle: Handle, bad: string): Promise<void> {
  const calls: Array<() => Promise<unknown> | AsyncIterable<unknown>> = [
    () => handle.append(bad, numbered(1, 1)),
    () => handle.append(bad, []),
    () => handle.read(bad),
    () => handle.head(bad),
    () => handle.headToken(bad),
    () => handle.delete(bad),
    () => handle.truncate(bad, 0),
    () => handle.fork(bad, 1, "target"),
    () => handle.fork(id, 1, bad),
    () => handle.tail(bad),
    () => handle.repair(bad),
  ];
  // These take no id for all sessions.
  if (bad !== undefined) {
    calls.push(
      () => handle.verify(bad),
      () => handle.rekey(bad),
      () => handle.adopt(bad),
    );
  }
  for (const call of calls) await expectCode(call(), "INVALID_SESSION_ID");
}

/** Appends to every id, reads each back, and removes every second. */
async function useAll(handle: Handle, ids: readonly string[]): Promise<void> {
  const heads = await Promise.all(ids.map((sessionId, n) => handle.append(sessionId, [{ n }])));
  expect(heads).toEqual(ids.map(() => 1));
  expect((await listedIds(handle)).toSorted()).toEqual(ids.toSorted());
  for (const [n, sessionId] of ids.entries()) {
    expect(await numbersOf(handle, sessionId)).toEqual([n]);
  }
  const removed = ids.filter((_, n) => n % 2 === 0);
  await Promise.all(removed.map((sessionId) => handle.delete(sessionId)));
  const rest = ids.filter((_, n) => n % 2 === 1);
  expect((await listedIds(handle)).toSorted()).toEqual(rest.toSorted());
  for (const sessionId of rest) expect(await handle.head(sessionId)).toBe(1);
}

const rules: Rule[] = [
  {
    name: "append() keeps ids apart that look, sort or encode alike",
    async run(store) {
      expect(new Set(distinctIds).size).toBe(distinctIds.length);
      await useAll(store.open(), distinctIds);
    },
  },
  {
    name: "append() keeps long ids apart up to 512 bytes",
    async run(store) {
      expect(new Set(longIds).size).toBe(longIds.length);
      await useAll(store.open(), longIds);
    },
  },
  {
    name: "append() touches nothing outside the store, whatever the id",
    async run(store) {
      const { directory } = store;
      if (directory === null) return;
      const handle = store.open();
      await handle.append(id, numbered(1, 2));
      for (const sessionId of ["..", "../x", "/x", "../../x", "x/../../y", "..\\x", "store"]) {
        await handle.append(sessionId, numbered(1, 1));
        await handle.fork(id, 2, `../${sessionId}`);
        await handle.truncate(sessionId, 0);
        await handle.delete(sessionId);
      }
      expect(readdirSync(directory)).toEqual(["home"]);
      for (const name of readdirSync(join(directory, "home"))) expect(name).toMatch(/^store/);
    },
  },
  {
    name: "every method refuses an id that no session can have",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 1));
      for (const bad of invalidIds) await expectInvalid(handle, bad as string);
      expect(await listedIds(handle)).toEqual([id]);
    },
  },
];

/** Which ids there are and that each is a session of its own. */
export const sessionIdRules: RuleGroup = { name: "session ids", rules };
