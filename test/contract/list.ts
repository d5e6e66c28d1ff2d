import { expect, vi } from "vitest";
import type { ListOptions, SessionInfo } from "../../src/index.ts";
import type { Handle } from "../stores.ts";
import {
  expectRefusal,
  failureOf,
  id,
  infoOf,
  listedIds,
  numbered,
  readAll,
  sequence,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

/** Runs `work` while the wall clock stands still, so that all of it is inside one millisecond. */
async function inOneMillisecond<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/** Creates sessions one after the other, and returns their ids in list order. */
async function create(handle: Handle, ids: readonly string[]): Promise<string[]> {
  for (const sessionId of ids) await handle.append(sessionId, numbered(1, 1));
  return ids.toReversed();
}

/** The whole list, one page after the other, with cursors that went through JSON. */
async function walk(handle: Handle, options: ListOptions & { limit: number }) {
  const sessions: SessionInfo[] = [];
  let cursor: SessionInfo | undefined;
  for (;;) {
    const page = await handle.list({ ...options, cursor });
    expect(page.length).toBeLessThanOrEqual(options.limit);
    sessions.push(...page);
    // A list that ignores its cursor would never end.
    expect(sessions.length).toBeLessThan(100);
    if (page.length < options.limit) return sessions;
    cursor = JSON.parse(JSON.stringify(page.at(-1))) as SessionInfo;
  }
}

const garbage: readonly unknown[] = [
  null,
  1,
  "prefix",
  [],
  ...[-1, NaN, 1.5, 2 ** 53, null, "1"].map((limit) => ({ limit })),
  ...[1, null, {}, ["a"]].map((prefix) => ({ prefix })),
  ...[null, 1, "a", [], {}, { id: "a" }, { mtime: 1 }].map((cursor) => ({ cursor })),
  ...[
    { id: 1, mtime: 1 },
    { id: "a", mtime: "1" },
    { id: "a", mtime: NaN },
  ].map((cursor) => ({
    cursor,
  })),
];

const rules: Rule[] = [
  {
    name: "list() shows exactly the sessions that were appended to and not deleted since",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      expect(await handle.list()).toEqual([]);
      await create(handle, ["a", "b", "c"]);
      await handle.append("never", []);
      await failureOf(handle.append("never", numbered(1, 1), 1));
      await failureOf(handle.append("never", [{ bad: 1n }]));
      await handle.truncate("never", 0);
      await handle.delete("never");
      await other.delete("b");
      await handle.truncate("c", 0);
      await handle.fork("a", 1, "d");
      for (const reader of [handle, other]) {
        expect(await listedIds(reader)).toEqual(["d", "c", "a"]);
        const heads = (await reader.list()).map(({ head }) => head);
        expect(heads).toEqual([1, 0, 1]);
      }
      await other.append("b", numbered(1, 2));
      expect(await listedIds(handle)).toEqual(["b", "d", "c", "a"]);
    },
  },
  {
    name: "list() puts the most recent change first, whichever handle made it",
    async run(store) {
      const handles = [store.open(), store.open()];
      const [first, second] = handles as [Handle, Handle];
      await create(first, ["a", "b", "c", "d"]);
      await second.append("b", numbered(2, 2));
      expect(await listedIds(first)).toEqual(["b", "d", "c", "a"]);
      await first.truncate("a", 0);
      expect(await listedIds(second)).toEqual(["a", "b", "d", "c"]);
      await second.delete("c");
      await first.append("c", numbered(1, 1));
      await second.append("d", numbered(2, 2));
      for (const handle of handles) expect(await listedIds(handle)).toEqual(["d", "c", "a", "b"]);
    },
  },
  {
    name: "list() keeps the order of changes inside one millisecond",
    run: (store) =>
      inOneMillisecond(async () => {
        const handle = store.open();
        const ids = sequence(0, 29).map((n) => `session-${(n * 7) % 30}`);
        expect(await listedIds(handle)).toEqual([]);
        expect(await create(handle, ids)).toEqual(await listedIds(handle));
        const again = ids.toSorted();
        expect(await create(handle, again)).toEqual(await listedIds(handle));
        const times = (await handle.list()).map(({ mtime }) => mtime);
        expect(new Set(times).size).toBe(30);
      }),
  },
  {
    name: "list() shows the time of the last change",
    async run(store) {
      const handle = store.open();
      let last = Date.now();
      const changes = [
        () => handle.append(id, numbered(1, 5)),
        () => store.open().append(id, numbered(6, 6)),
        () => handle.truncate(id, 3),
        () => handle.truncate(id, 0),
        () => handle.append(id, numbered(1, 1), 0),
      ];
      for (const change of changes) {
        await change();
        const { mtime } = await infoOf(handle);
        expect(mtime).toBeGreaterThanOrEqual(last);
        expect(mtime).toBeLessThan(Date.now() + 2);
        last = mtime;
      }
    },
  },
  {
    name: "list() does not move a session for what changes nothing",
    async run(store) {
      const handle = store.open();
      const key = { idempotencyKey: "key" };
      await handle.append(id, numbered(1, 3), key);
      await create(handle, ["later"]);
      const before = await handle.list();
      await readAll(handle);
      await handle.headToken(id);
      await handle.append(id, []);
      await handle.append(id, numbered(1, 3), key);
      await failureOf(handle.append(id, numbered(4, 4), 0));
      await failureOf(handle.append(id, [{ bad: NaN }]));
      await handle.truncate(id, 3);
      await handle.truncate(id, 9);
      await failureOf(handle.truncate(id, 0, 1));
      await failureOf(handle.fork("later", 1, id));
      await handle.fork(id, 2, "fork");
      const [fork, ...rest] = await handle.list();
      expect(fork).toMatchObject({ id: "fork", head: 2 });
      expect(rest).toEqual(before);
    },
  },
  {
    name: "list() in pages equals the whole list, also where times are close",
    run: (store) =>
      inOneMillisecond(async () => {
        const handle = store.open();
        const whole = await create(
          handle,
          sequence(1, 11).map((n) => `${n % 2 === 0 ? "even" : "odd"}-${n}`),
        );
        for (const limit of [1, 2, 3, 5, 11, 12]) {
          const pages = await walk(handle, { limit });
          expect(pages).toEqual(await handle.list());
          expect(pages.map((info) => info.id)).toEqual(whole);
          const even = await walk(handle, { limit, prefix: "even" });
          expect(even.map((info) => info.id)).toEqual(whole.filter((one) => one.startsWith("ev")));
        }
        expect(await handle.list({ limit: 0 })).toEqual([]);
      }),
  },
  {
    name: "list() takes a cursor as a place, between sessions of one time too",
    async run(store) {
      const handle = store.open();
      await create(handle, ["a", "m", "z"]);
      const middle = await infoOf(handle, "m");
      const after = async (cursorId: string) =>
        (await handle.list({ cursor: { id: cursorId, mtime: middle.mtime } })).map((one) => one.id);
      expect(await after("")).toEqual(["m", "a"]);
      expect(await after("l")).toEqual(["m", "a"]);
      expect(await after("m")).toEqual(["a"]);
      expect(await after("n")).toEqual(["a"]);
      const first = await handle.list({ limit: 1 });
      await handle.delete("z");
      expect(await handle.list({ cursor: first[0] })).toEqual(await handle.list());
    },
  },
  {
    name: "list() takes a prefix literally",
    async run(store) {
      const handle = store.open();
      const ids = ["a%b", "a_b", "axb", "a", "A", "\u{1f600}", "\u{1f601}", "\\", "a*", "[a]"];
      const whole = await create(handle, ids);
      const prefixes = ["", "a", "a%", "a_", "A", "a%b", "a%bc", "\u{1f600}", "\ud83d", "\\", "["];
      for (const prefix of prefixes) {
        const wanted = whole.filter((one) => one.startsWith(prefix));
        expect((await handle.list({ prefix })).map((one) => one.id)).toEqual(wanted);
      }
    },
  },
  {
    name: "list() refuses garbage in its options",
    async run(store) {
      const handle = store.open();
      await create(handle, ["a"]);
      for (const options of garbage) {
        await expectRefusal(handle.list(options as ListOptions), JSON.stringify(options));
      }
    },
  },
  {
    name: "list() hands out entries that are the caller's own",
    async run(store) {
      const handle = store.open();
      await create(handle, ["a", "b"]);
      const before = await handle.list();
      for (const info of await handle.list()) Object.assign(info, { id: "x", mtime: 0, head: 9 });
      (await handle.list()).pop();
      expect(await handle.list()).toEqual(before);
    },
  },
];

/** What `list` shows and in which order. */
export const listRules: RuleGroup = { name: "list", rules };
