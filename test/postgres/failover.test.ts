// A primary that is killed, and its standby that takes over. The primary acknowledges a commit once the standby shows it,
// so PostgreSQL promises that nothing acknowledged is lost.

import { pathToFileURL } from "node:url";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { postgresCheckpointer, type PostgresCheckpointer } from "../../adapters/postgres/index.ts";
import { findBinaries } from "../../cli/postgres-server/find-binaries.ts";
import { startReplicatedServers } from "../../cli/postgres-server/start-server.ts";
import { CheckpointError, type EventObject } from "../../src/index.ts";

const keeper = new URL(pathToFileURL("dist/cli/postgres-server/keeper.js"));
const writers = 8;

function isInstalled(): boolean {
  try {
    return findBinaries() !== "";
  } catch {
    return false;
  }
}

type Ask = (text: string) => Promise<unknown>;

interface Scene {
  readonly url: string;
  readonly standbyUrl: string;
  kill(): Promise<void>;
  /** First column of the first row. */
  readonly onPrimary: Ask;
  readonly onStandby: Ask;
}

async function start(): Promise<Scene> {
  const servers = await startReplicatedServers(keeper);
  onTestFinished(() => servers.stop());
  const [onPrimary, onStandby] = [await client(servers.url), await client(servers.standbyUrl)];
  return { ...servers, onPrimary, onStandby };
}

async function client(connectionString: string): Promise<Ask> {
  const connection = new pg.Client({ connectionString });
  connection.on("error", () => undefined);
  await connection.connect();
  onTestFinished(() => connection.end().catch(() => undefined));
  return async (text) => {
    const { rows } = await connection.query<unknown[]>({ text, rowMode: "array" });
    return rows[0]?.[0];
  };
}

function open(
  url: string,
  ...others: readonly string[]
): PostgresCheckpointer<EventObject & { n: number }> {
  const hosts = [url, ...others].map((text) => new URL(text).host);
  // Notifications commit too, and what waits for the standby is counted below.
  const store = postgresCheckpointer<EventObject & { n: number }>({
    connectionString: url,
    hosts,
    notify: false,
  });
  onTestFinished(() => store.close());
  return store;
}

/**
 * Loops of appends, each in a session of its own. Every other one has keys and repeats whatever has no
 * answer; without a key nothing but the adapter keeps an append from being made twice.
 */
function startWriters(store: PostgresCheckpointer<EventObject & { n: number }>) {
  const acknowledged = Array.from({ length: writers }, (): number[] => []);
  const counts = { acknowledged: 0, unknown: 0 };
  let isDone = false;
  let lastAnswer = performance.now();
  let longestPause = 0;

  async function append(writer: number, n: number): Promise<void> {
    const isKeyed = writer % 2 === 0;
    const options = isKeyed ? { idempotencyKey: `k${n}` } : {};
    for (let isDone = false; !isDone;) {
      try {
        await store.append(`s${writer}`, [{ n }], options);
        isDone = true;
      } catch (error) {
        if (!isKeyed || !isUnknown(error)) throw error;
        counts.unknown += 1;
      }
    }
    const now = performance.now();
    longestPause = Math.max(longestPause, now - lastAnswer);
    lastAnswer = now;
    acknowledged[writer]?.push(n);
    counts.acknowledged += 1;
  }

  async function write(writer: number): Promise<void> {
    for (let n = 1; !isDone; n += 1) await append(writer, n);
  }

  const working = Promise.all(acknowledged.map((_list, writer) => write(writer)));
  return {
    acknowledged,
    counts,
    longestPause: () => longestPause,
    more: (count: number) => {
      const goal = counts.acknowledged + count;
      return Promise.race([
        working,
        expect.poll(() => counts.acknowledged, { timeout: 30_000 }).toBeGreaterThan(goal),
      ]);
    },
    stop: () => {
      isDone = true;
      return working;
    },
  };
}

const isUnknown = (error: unknown): boolean =>
  error instanceof CheckpointError && error.code === "OUTCOME_UNKNOWN";

/** Kills the primary and promotes the standby under load; what became of everything. */
async function failOver(beforeKill?: (scene: Scene) => Promise<void>) {
  const scene = await start();
  const store = open(scene.url, scene.standbyUrl);
  await store.setup();
  const load = startWriters(store);
  await load.more(400);
  await beforeKill?.(scene);
  await scene.kill();
  expect(await scene.onStandby("SELECT pg_promote()")).toBe(true);
  await load.more(400);
  await load.stop();
  let [lost, doubled] = [0, 0];
  for (const [writer, list] of load.acknowledged.entries()) {
    const stored: number[] = [];
    for await (const { event } of store.read(`s${writer}`)) stored.push(event.n);
    const distinct = new Set(stored);
    lost += list.filter((n) => !distinct.has(n)).length;
    doubled += stored.length - distinct.size;
  }
  const refused = "SELECT coalesce(sum(cardinality(refused)), 0)::int FROM checkpointer.sessions";
  const report = {
    acknowledged: load.counts.acknowledged,
    lost,
    doubled,
    notMadeAndSentAgain: await scene.onStandby(refused),
    unknownToTheCaller: load.counts.unknown,
    msWithoutWrites: Math.round(load.longestPause()),
  };
  console.log(JSON.stringify(report));
  return report;
}

test.runIf(isInstalled())(
  "a failover loses nothing that was acknowledged, and doubles nothing",
  async () => {
    const report = await failOver();
    expect(report).toMatchObject({ lost: 0, doubled: 0, unknownToTheCaller: 0 });
  },
);

test.runIf(isInstalled())(
  "appends that the standby has, and nobody acknowledged, are found there and not made again",
  async () => {
    const report = await failOver(async ({ onPrimary, onStandby }) => {
      // From here on it gets commits, and the primary waits for it to show them.
      await onStandby("SELECT pg_wal_replay_pause()");
      const waiting = "SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
      await expect.poll(() => onPrimary(waiting), { timeout: 20_000 }).toBe(writers);
      await untilStandbyHasAll(onPrimary);
    });
    const resolved = { notMadeAndSentAgain: 0, unknownToTheCaller: 0 };
    expect(report).toMatchObject({ lost: 0, doubled: 0, ...resolved });
  },
);

test.runIf(isInstalled())(
  "a server that takes no writes is refused, and left for one that does",
  async () => {
    const { url, standbyUrl, onPrimary, onStandby } = await start();
    const refused = { code: "IO_FAILED", message: expect.stringContaining("25006") };
    const alone = open(standbyUrl);
    await expect(alone.append("s", [{ n: 0 }])).rejects.toMatchObject(refused);
    const store = open(standbyUrl, url);
    const cutting = open(url, standbyUrl);
    await store.append("s", [{ n: 1 }]);
    await cutting.append("s", [{ n: 2 }]);
    await expect(alone.append("s", [{ n: 0 }])).rejects.toMatchObject(refused);
    await expect(alone.truncate("s", 1)).rejects.toMatchObject(refused);
    expect(await alone.head("s")).toBe(2);

    await onPrimary("ALTER SYSTEM SET default_transaction_read_only = on");
    await onPrimary("SELECT pg_reload_conf()");
    // Whoever gets a new connection with the setting knows that all others have been told.
    const setting = async (): Promise<unknown> =>
      (await client(url))("SHOW default_transaction_read_only");
    await expect.poll(setting).toBe("on");
    expect(await onStandby("SELECT pg_promote()")).toBe(true);
    expect(await store.append("s", [{ n: 3 }])).toBe(3);
    await cutting.truncate("s", 2);
    expect(await onStandby("SELECT head::int FROM checkpointer.sessions")).toBe(2);
    expect(await onPrimary("SELECT head::int FROM checkpointer.sessions")).toBe(2);
  },
);

/** What was written before this call is in the standby's log, whether it shows it or not. */
async function untilStandbyHasAll(onPrimary: Ask): Promise<void> {
  const text = `SELECT bool_and(flush_lsn >= '${String(await onPrimary("SELECT pg_current_wal_insert_lsn()"))}')
    FROM pg_stat_replication`;
  await expect.poll(() => onPrimary(text)).toBe(true);
}
