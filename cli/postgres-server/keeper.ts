// Keeps PostgreSQL servers in a folder of their own for the process that started this one, and takes all of it away
// when that process is done or gone, however it ended. One server, or a primary with a standby as the argument asks.

import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import process from "node:process";
import { addStandby, createCluster, endServer, startCluster, urlOf } from "./cluster.ts";
import type { Cluster } from "./cluster.ts";
import { findBinaries } from "./find-binaries.ts";
import { makeFolder, serverUser } from "./server-user.ts";
import type { KeeperNews, KeeperOrder } from "./start-server.ts";

let folder: string | undefined;
let leaving: Promise<void> | undefined;

/** What runs. */
const servers = new Map<Cluster, ChildProcess>();

/** The server of everybody, and the standby if there is to be one. */
async function create(): Promise<Cluster[]> {
  const native = findBinaries();
  const user = await serverUser();
  folder = await makeFolder(user, "ckpt-postgres-");
  const cluster = await createCluster(native, user, folder);
  if (process.argv[2] !== "with standby") return [cluster];
  const { primary, standby } = await addStandby(cluster, folder);
  return [primary, standby];
}

async function start(cluster: Cluster): Promise<void> {
  servers.set(cluster, await startCluster(cluster));
}

async function end(cluster: Cluster, signal: "SIGQUIT" | "SIGKILL"): Promise<void> {
  const server = servers.get(cluster);
  servers.delete(cluster);
  if (server !== undefined) await endServer(server, signal);
}

function leave(): Promise<void> {
  leaving ??= (async () => {
    await Promise.all([...servers.keys()].map((cluster) => end(cluster, "SIGQUIT")));
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    process.exit();
  })();
  return leaving;
}

function tell(news: KeeperNews): void {
  if (process.connected) process.send?.(news);
}

async function keep(): Promise<void> {
  const clusters = await create();
  for (const cluster of clusters) await start(cluster);
  const [first] = clusters;
  if (first === undefined) return;
  const orders: Readonly<Record<KeeperOrder, () => Promise<void>>> = {
    crash: () => end(first, "SIGQUIT"),
    kill: () => end(first, "SIGKILL"),
    start: () => start(first),
  };
  process.on("message", (order: KeeperOrder) => {
    orders[order]().then(() => tell({ done: order }), fail);
  });
  tell({ urls: clusters.map(urlOf) });
}

function fail(error: unknown): void {
  tell({ failed: error instanceof Error ? error.message : String(error) });
  void leave();
}

process.on("disconnect", () => void leave());
// Ctrl-C is for the process that started this one; when it goes, so does this.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
keep().catch(fail);
