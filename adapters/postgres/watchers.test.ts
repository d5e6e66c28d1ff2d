import { afterEach, describe, expect, test } from "vitest";
import { startProxy } from "./testing/cutting-proxy.ts";
import { createCheckpointer } from "../../src/index.ts";
import { append } from "../../test/store-changes.ts";
import {
  cleanUp,
  hasNoServer,
  openClient,
  openStore,
  serverUrl,
  sql,
  temporarySchema,
} from "./testing/server.ts";

afterEach(cleanUp);

type Hints = AsyncIterator<void>;

function watch(store: ReturnType<typeof openStore>, id: string, signal?: AbortSignal): Hints {
  const hints = store.watch?.(id, signal ?? new AbortController().signal);
  if (hints === undefined) throw new Error("the store has no watch()");
  return hints[Symbol.asyncIterator]();
}

const named = (name: string): string => {
  const url = new URL(serverUrl);
  url.searchParams.set("application_name", name);
  return url.href;
};

const listening = async (name: string): Promise<unknown> => {
  const text = `SELECT count(*)::int FROM pg_stat_activity
    WHERE application_name = $1 AND query LIKE 'LISTEN%'`;
  return (await sql(text, [name]))[0]?.[0];
};

describe.skipIf(hasNoServer)("watch()", () => {
  test("yields after a change of another handle, through one connection for all sessions", async () => {
    const schema = temporarySchema();
    const name = schema.slice(-20);
    const [store, other] = [
      openStore({ schema, connectionString: named(name) }),
      openStore({ schema }),
    ];
    await store.commit("a", append(["1"]));
    const ids = ["a", "b", "\u{1F600}".repeat(128), "' $1 \\"];
    const hints = ids.map((id) => watch(store, id));
    // The first hint says that listening has begun.
    await Promise.all(hints.map((one) => one.next()));
    expect(await listening(name)).toBe(1);
    const next = hints.map((one) => one.next());
    for (const id of ids) await other.commit(id, append(["2"]));
    for (const hint of await Promise.all(next)) expect(hint.done).toBe(false);
    for (const one of hints) await one.return?.();
    await expect.poll(() => listening(name)).toBe(0);
  });

  test("goes on when the listening connection was lost, and hints that something may be missed", async () => {
    const schema = temporarySchema();
    const proxy = await startProxy();
    const store = openStore({ schema, connectionString: proxy.url });
    const other = openStore({ schema });
    await other.commit("a", append(["1"]));
    const hints = watch(store, "a");
    await hints.next();
    const missed = hints.next();
    proxy.refuse(true);
    proxy.refuse(false);
    expect(await missed).toMatchObject({ done: false });
    const heard = hints.next();
    await other.commit("a", append(["2"]));
    expect(await heard).toMatchObject({ done: false });
    await hints.return?.();
  });

  test("neither tells nor listens without notify, and hints at changes of its own handle", async () => {
    const schema = temporarySchema();
    const name = schema.slice(-20);
    const store = openStore({ schema, notify: false, connectionString: named(name) });
    const other = openStore({ schema });
    const [own, told] = [watch(store, "a"), watch(other, "a")];
    const hint = own.next();
    await told.next();
    await store.commit("a", append(["1"]));
    expect(await hint).toMatchObject({ done: false });
    expect(await listening(name)).toBe(0);
    const next = told.next();
    await other.commit("a", append(["2"]));
    await next;
    await Promise.all([own.return?.(), told.return?.()]);
  });

  test("lets followers of two sessions miss nothing although their commits overtake each other", async () => {
    const schema = temporarySchema();
    const [writer, reader] = [1, 2].map(() =>
      createCheckpointer<{ n: number }>(openStore({ schema })),
    );
    const stop = new AbortController();
    const follow = async (id: string): Promise<() => Promise<number | undefined>> => {
      await writer!.append(id, [{ n: 1 }]);
      const events = reader!.tail(id, { signal: stop.signal })[Symbol.asyncIterator]();
      return async () => {
        const next = await events.next();
        return next.done === true ? undefined : next.value.event.n;
      };
    };
    const nextOf = { a: await follow("a"), b: await follow("b") };
    expect([await nextOf.a(), await nextOf.b()]).toEqual([1, 1]);
    const holder = await openClient();
    for (const [n, slow, quick] of [
      [2, "a", "b"],
      [3, "b", "a"],
    ] as const) {
      const heard = { a: nextOf.a(), b: nextOf.b() };
      await holder.query(
        `BEGIN; SELECT 1 FROM ${schema}.sessions WHERE name = '${slow}' FOR UPDATE`,
      );
      const overtaken = writer!.append(slow, [{ n }]);
      const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted";
      await expect.poll(() => sql(waiting), { timeout: 20_000 }).not.toEqual([]);
      await writer!.append(quick, [{ n }]);
      expect(await heard[quick]).toBe(n);
      await holder.query("COMMIT");
      await overtaken;
      expect(await heard[slow]).toBe(n);
    }
    const rest = [nextOf.a(), nextOf.b()];
    await writer!.append("a", [{ n: 4 }]);
    await writer!.append("b", [{ n: 4 }]);
    expect(await Promise.all(rest)).toEqual([4, 4]);
    stop.abort();
  });

  test("ends promptly on an abort and when the store is closed", async () => {
    const store = openStore();
    const stop = new AbortController();
    const [one, two] = [watch(store, "a", stop.signal), watch(store, "b")];
    await Promise.all([one.next(), two.next()]);
    const ends = [one.next(), two.next()];
    stop.abort();
    expect(await ends[0]).toMatchObject({ done: true });
    await store.close();
    expect(await ends[1]).toMatchObject({ done: true });
  });
});
