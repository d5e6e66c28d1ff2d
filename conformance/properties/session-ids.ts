import { id, numbered, numbersOf, listedIds, type Handle } from "../session-state.ts";
import { Violation, type Check } from "../check.ts";
import type { Context } from "../context.ts";
import { readdirSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Fixture } from "../fixture.ts";
import type { Properties } from "../property.ts";

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
async function expectInvalid(check: Check, handle: Handle, bad: string): Promise<void> {
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
  for (const call of calls) await check.fails(call(), "INVALID_SESSION_ID");
}

/** Appends to every id, reads back each that was taken, and removes every second. */
async function useAll(
  { check, manifest }: Context,
  handle: Handle,
  ids: readonly string[],
): Promise<void> {
  const taken: string[] = [];
  for (const [n, sessionId] of ids.entries()) {
    try {
      check.same(await handle.append(sessionId, [{ n }]), 1);
      taken.push(sessionId);
    } catch (error) {
      // Only the whole interface says which ids there are; the minimal methods may refuse some more.
      if (manifest.kit === 1 || error instanceof Violation) throw error;
    }
  }
  check.ok(taken.length > ids.length / 2, "most ids are taken");
  check.equal((await listedIds(handle)).toSorted(), taken.toSorted());
  for (const sessionId of taken) {
    check.equal(await numbersOf(handle, sessionId), [ids.indexOf(sessionId)]);
  }
  for (const [n, sessionId] of taken.entries()) if (n % 2 === 0) await handle.delete(sessionId);
  const rest = taken.filter((_, n) => n % 2 === 1);
  check.equal((await listedIds(handle)).toSorted(), rest.toSorted());
  for (const sessionId of rest) check.same(await handle.head(sessionId), 1);
}

/** What carries `mark` in its name beside the store, up to three folders above it. */
function escapesOf({ directory = "" }: Fixture, mark: string): string[] {
  const above = ["..", "../..", "../../.."].map((path) => resolve(directory, path));
  return above.flatMap((folder) => readdirSync(folder).filter((name) => name.includes(mark)));
}

/** That every id is a session of its own. */
export const sessionIdsProperties: Properties = [
  {
    id: "P40",
    group: "session ids",
    level: "L1",
    statement:
      "Different ids are different sessions, and come back from list() as they were, or are refused",
    reason:
      "Ids come from paths, chats and users; two that share a log show one user's words to another",
    reports: ["anthropics/claude-code#29342"],
    cases: [
      {
        name: "append() keeps ids apart that look, sort or encode alike",
        async run(context) {
          context.check.same(new Set(distinctIds).size, distinctIds.length);
          await useAll(context, await context.open(), distinctIds);
        },
      },
      {
        name: "append() keeps long ids apart up to 512 bytes",
        requires: ["full"],
        async run(context) {
          context.check.same(new Set(longIds).size, longIds.length);
          await useAll(context, await context.open(), longIds);
        },
      },
      {
        name: "every method refuses an id that no session can have",
        requires: ["full"],
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1));
          for (const bad of invalidIds) await expectInvalid(check, handle, bad as string);
          check.equal(await listedIds(handle), [id]);
        },
      },
    ],
  },
  {
    id: "P41",
    group: "session ids",
    level: "L1",
    requires: ["directory"],
    statement: "No id reaches a file outside the store",
    reason: "An id with dots and slashes is the oldest attack there is",
    cases: [
      {
        name: "append() touches nothing outside the store, whatever the id",
        async run({ open, check, fixture }) {
          const mark = randomUUID();
          const handle = await open();
          const paths = ["../x", "../../x", "x/../../x", "..\\x", "../../../x"];
          for (const sessionId of paths.map((path) => path.replaceAll("x", mark))) {
            // A store may refuse such an id, as long as it does nothing else.
            const outcome = await Promise.allSettled([handle.append(sessionId, numbered(1, 1))]);
            if (outcome[0].status === "fulfilled")
              check.equal(await numbersOf(handle, sessionId), [1]);
          }
          check.equal(escapesOf(fixture, mark), []);
        },
      },
    ],
  },
];
